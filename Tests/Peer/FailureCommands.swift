import AppGroups
import FileSignals
import Foundation
import Signals
import Tweaks

/// Objects whose failures nothing observes, unless a command says so.
///
/// - `unobserved-suite DIR NAME KEY`: open a suite, and return the number of a key, which is 5 by default
/// - `unobserved-file DIR NAME`: open a file, and return its number, which is 5 by default
/// - `unobserved-values`: return the present numbers of these files
/// - `unobserved-flags PATH`: return the flag `shop/limit` of an optional file, which is 5 by default
/// - `unobserved-log DIR NAME`: follow a log, and report its events
/// - `observe-failures DIR`: report each failure in a container from now on
/// - `redirect-failures`: report each failure that nothing observes
final class FailureCommands: CommandFamily {
  private let console: Console
  private var kept: [Any] = []
  private var files: [AppGroupsFile<Int>] = []
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "unobserved-suite":
      let arguments = try command.arguments(3)
      let suite = try AppGroupsSuite(name: arguments[1], container: container(arguments[0]))
      let value = suite.preference(arguments[2], default: 5)
      kept.append(value)
      return "\(value.value)"
    case "unobserved-file":
      let arguments = try command.arguments(2)
      let file = try AppGroupsFile(name: arguments[1], initialValue: 5, container: container(arguments[0]))
      files.append(file)
      return "\(file.value)"
    case "unobserved-values": return files.map { "\($0.value)" }.joined(separator: " ")
    case "unobserved-flags":
      let file = try FileTweakProvider(url: URL(filePath: command.argument()), isOptional: true)
      let manager = TweakManager(providers: [file])
      kept.append(manager)
      return "\(manager.value(feature: "shop", variable: "limit", default: 5))"
    case "unobserved-log":
      let arguments = try command.arguments(2)
      let log = try AppGroupsLog<String>(name: arguments[1], container: container(arguments[0]))
      try log.events(for: "reader").sink { [console] in console.report("entry \($0.event)") }.store(in: &subscriptions)
    case "observe-failures":
      try container(command.argument()).failures.sink { [console] in console.report("observed \($0)") }
        .store(in: &subscriptions)
    case "redirect-failures":
      FailureReport.onUnobserved { [console] in console.report("redirected \($0)") }
    default: return nil
    }
    return ""
  }

  private func container(_ path: String) throws -> AppGroupsContainer {
    try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
  }
}
