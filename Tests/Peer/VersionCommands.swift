import AppGroups
import Foundation
import Signals

/// Settings of three versions of an app.
///
/// - `app VERSION DIR`: be that version of the app, with its settings in the container DIR; 0 is from before there were
///   any
/// - `settings`: the value in memory; `settings-status`: its status
/// - `settings-update TEXT`: change the theme to TEXT; `settings-overwrite TEXT`: even if the settings are unreadable
/// - `settings-write TEXT`: replace the settings with default ones and the theme TEXT
/// - `settings-observe`: report each value and each failure from now on
final class VersionCommands: CommandFamily {
  private let console: Console
  private var app: (any App)?
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "app":
      let arguments = try command.arguments(2)
      app = try Self.app(command.number(arguments[0]), URL(filePath: arguments[1], directoryHint: .isDirectory))
    case "settings": return try opened().value
    case "settings-status": return try "\(opened().status)"
    case "settings-update": try opened().update(command.argument(), overwriting: false)
    case "settings-overwrite": try opened().update(command.argument(), overwriting: true)
    case "settings-write": try opened().write(command.argument())
    case "settings-observe":
      try opened().observe { [console] in console.report("settings \($0)") }.forEach { $0.store(in: &subscriptions) }
    default: return nil
    }
    return ""
  }

  private func opened() throws -> any App {
    guard let app else { throw CommandError(description: "no app is running") }
    return app
  }

  private static func app(_ version: Int, _ directory: URL) throws -> any App {
    let container = try AppGroupsContainer(directory: directory)
    let first = FileVersions(FirstSettings.self)
    let second = first.migrating(to: SecondSettings.self) { old in
      SecondSettings(theme: old.isDark ? "dark" : "light")
    }
    let third = second.migrating(to: ThirdSettings.self) { old in ThirdSettings(theme: old.theme, size: 12) }
    return switch version {
    case 0: try VersionedApp<FirstSettings>(container, .json)
    case 1: try VersionedApp(container, .versioned(first))
    case 2: try VersionedApp(container, .versioned(second))
    default: try VersionedApp(container, .versioned(third))
    }
  }
}

private protocol App {
  var value: String { get }
  var status: SharedValueStatus<AppGroupsFileError> { get }
  func write(_ theme: String) throws
  func update(_ theme: String, overwriting: Bool) throws
  func observe(_ report: @escaping @Sendable (String) -> Void) -> [SignalSubscription]
}

private protocol Settings: Codable, Sendable, CustomStringConvertible {
  var theme: String { get set }
  init(theme: String)
}

private struct VersionedApp<Value: Settings>: App {
  let file: AppGroupsFile<Value>

  init(_ container: AppGroupsContainer, _ format: FileFormat<Value>) throws {
    file = try AppGroupsFile(
      name: "settings.json", initialValue: Value(theme: "light"), container: container, format: format)
  }

  var value: String { file.value.description }
  var status: SharedValueStatus<AppGroupsFileError> { file.status.value }

  func write(_ theme: String) throws {
    try file.write(Value(theme: theme))
  }

  func update(_ theme: String, overwriting: Bool) throws {
    try file.update(overwriting: overwriting) { $0.theme = theme }
  }

  func observe(_ report: @escaping @Sendable (String) -> Void) -> [SignalSubscription] {
    [file.sink { report($0.description) }, file.failures.sink { report("\($0)") }]
  }
}

private struct FirstSettings: Settings {
  var isDark: Bool

  init(theme: String) {
    isDark = theme == "dark"
  }

  var theme: String {
    get { isDark ? "dark" : "light" }
    set { isDark = newValue == "dark" }
  }

  var description: String { "1 \(theme)" }
}

private struct SecondSettings: Settings {
  var theme: String

  var description: String { "2 \(theme)" }
}

private struct ThirdSettings: Settings {
  var theme: String
  var size: Int

  init(theme: String) {
    self.init(theme: theme, size: 12)
  }

  init(theme: String, size: Int) {
    self.theme = theme
    self.size = size
  }

  var description: String { "3 \(theme) \(size)" }
}
