import AppGroups
import Foundation
import Signals

/// The costs and leftovers of opening and closing.
///
/// - `cycle DIR NAME N`: N times, open the file, subscribe to it, and release both
/// - `descriptors`: the number of open descriptors
/// - `watches`: the number of watches of this process; Linux only
final class LifetimeCommands: CommandFamily {
  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "cycle":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      for _ in 0..<(try command.number(arguments[2])) {
        let file = try AppGroupsFile(name: arguments[1], initialValue: Note(count: 0, text: ""), container: container)
        let subscription = file.sink { _ in }
        withExtendedLifetime(subscription) {}
      }
      return ""
    case "descriptors":
      #if os(Linux)
        return try "\(FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count)"
      #else
        return try "\(FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count)"
      #endif
    case "watches":
      var count = 0
      for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo") {
        // The descriptor that listed the directory is already closed.
        guard let data = FileManager.default.contents(atPath: "/proc/self/fdinfo/\(entry)") else { continue }
        count += String(decoding: data, as: UTF8.self).split(separator: "\n").count { $0.hasPrefix("inotify wd:") }
      }
      return "\(count)"
    default: return nil
    }
  }
}
