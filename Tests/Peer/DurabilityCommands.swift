import AppGroups
import FileSignals
import Foundation

/// Writing with an explicit durability: `process` or `storage`.
///
/// - `durable-write DURABILITY PATH TEXT`: replace the content of a file
/// - `durable-open DURABILITY DIR NAME`: open a shared text of the container DIR, creating it if missing
/// - `durable-update TEXT`, `durable-replace TEXT`: change that text, based on the file or not; `durable-read`: read it
/// - `durable-append DURABILITY DIR TEXT`: append an event to the log `log` of the container DIR
final class DurabilityCommands: CommandFamily {
  private var file: AppGroupsFile<String>?
  private var logs: [AppGroupsLog<String>] = []

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
        options: .init(durability: Self.durability(arguments[0])))
    case "durable-update":
      let text = try command.argument()
      try file?.update { $0 = text }
    case "durable-replace": try file?.write(command.argument())
    case "durable-read": return try file?.read() ?? "nothing"
    case "durable-append":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[1], directoryHint: .isDirectory))
      let log = try AppGroupsLog<String>(
        name: "log", container: container, durability: Self.durability(arguments[0]))
      try log.append(arguments[2])
      // Logs opened in a process that already has one open share its segment.
      logs.append(log)
    default: return nil
    }
    return ""
  }

  private static func durability(_ word: String) -> Durability {
    word == "storage" ? .storage : .process
  }
}
