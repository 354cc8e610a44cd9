import FileSignals
import Foundation
import Signals

/// Observing files and directories, for tests of system limits.
///
/// - `watch-file PATH POLLING`: observe a file and report `file KIND PATH`, after that `health HEALTH`
/// - `watch-tree PATH POLLING`: observe a tree and report likewise, as `tree`
/// - `unwatch`: release all observers
/// - `limit-watching NAME NUMBER`: set a limit in `/proc/sys/user`, in a separate user namespace
///
/// The polling is a number of milliseconds, or `never`.
final class WatchCommands: CommandFamily {
  private let console: Console
  private var kept: [SignalSubscription] = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "watch-file":
      let arguments = try command.arguments(2)
      let url = URL(filePath: arguments[0], directoryHint: .notDirectory)
      let observer = try FileObserver(url, polling: polling(arguments[1], command))
      keep(observer, observer.health, "file")
      return ""
    case "watch-tree":
      let arguments = try command.arguments(2)
      let url = URL(filePath: arguments[0], directoryHint: .isDirectory)
      let observer = try DirectoryObserver(url, recursive: true, polling: polling(arguments[1], command))
      keep(observer, observer.health, "tree")
      return ""
    case "unwatch":
      kept = []
      return ""
    case "limit-watching":
      let arguments = try command.arguments(2)
      try Data(arguments[1].utf8).write(to: URL(filePath: "/proc/sys/user/\(arguments[0])"))
      return ""
    default: return nil
    }
  }

  private func polling(_ text: String, _ command: Command) throws -> WatchPolling {
    text == "never" ? .never : .automatic(every: .milliseconds(try command.number(text)))
  }

  private func keep(_ events: some Signal<FileEvent, Never>, _ health: Property<WatchHealth>, _ word: String) {
    kept.append(events.sink { [console] in console.report("\(word) \($0)") })
    kept.append(health.sink { [console] in console.report("health \($0)") })
  }
}
