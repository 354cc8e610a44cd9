import AppGroups
import FileSignals
import Foundation

/// Writing with what it is safe against said: `process` or `storage`.
///
/// - `durable-write DURABILITY PATH TEXT`: replace the content of a file
/// - `durable-open DURABILITY DIR NAME`: open, and make if need be, a shared text of the container DIR
/// - `durable-update TEXT`: change that text
final class DurabilityCommands: CommandFamily {
  private var file: AppGroupsFile<String>?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "durable-write":
      let arguments = try command.arguments(3)
      let url = URL(filePath: arguments[1])
      try DurableFile.write(Data(arguments[2].utf8), to: url, durability: Self.durability(arguments[0]))
    case "durable-open":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[1], directoryHint: .isDirectory))
      file = try AppGroupsFile(
        name: arguments[2], initialValue: "initial", container: container, format: .text,
        durability: Self.durability(arguments[0]))
    case "durable-update":
      let text = try command.argument()
      try file?.update { $0 = text }
    default: return nil
    }
    return ""
  }

  private static func durability(_ word: String) -> Durability {
    word == "storage" ? .storage : .process
  }
}
