import AppGroups
import FileSignals
import Foundation

/// Work that continues on a separate thread until it is stopped.
///
/// - `loop-write DIR NAME BYTES`: replace the note NAME of the container DIR as fast as possible; each has BYTES times
///   one letter as its text, and the letters take turns
/// - `loop-raw PATH BYTES`: the same with the bytes alone, through `DurableFile`
/// - `loop-in-place PATH BYTES`: the same the wrong way, truncating the file and writing into it
/// - `stop`: end the loop, and return the number of rounds
final class LoopCommands: CommandFamily {
  private var loop: Loop?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "loop-write":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      let file = try AppGroupsFile(name: arguments[1], initialValue: Note(count: 0, text: ""), container: container)
      let texts = try Self.letters(command.number(arguments[2]))
      loop = Loop { round in try file.write(Note(count: round, text: texts[round % texts.count])) }
    case "loop-raw":
      let arguments = try command.arguments(2)
      let url = URL(filePath: arguments[0])
      let contents = try Self.letters(command.number(arguments[1])).map { Data($0.utf8) }
      loop = Loop { round in try DurableFile.write(contents[round % contents.count], to: url, durability: .process) }
    case "loop-in-place":
      let arguments = try command.arguments(2)
      let url = URL(filePath: arguments[0])
      let contents = try Self.letters(command.number(arguments[1])).map { Data($0.utf8) }
      loop = Loop { round in try contents[round % contents.count].write(to: url) }
    case "stop":
      guard let loop else { throw CommandError(description: "nothing is running") }
      self.loop = nil
      return try "\(loop.stop())"
    default: return nil
    }
    return ""
  }

  private static func letters(_ count: Int) -> [String] {
    "abcdefgh".map { String(repeating: $0, count: count) }
  }
}
