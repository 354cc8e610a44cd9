import AppGroups
import FileSignals
import Foundation

/// The values of one suite of `UserDefaults`, which are read and replaced together.
struct DefaultsDomain: @unchecked Sendable {  // Sound: defaults may be used from any thread, as they document.
  let suite: DefaultsSuite
  private let defaults: UserDefaults
  private let name: String

  init(_ suite: DefaultsSuite) throws(AppContainerError) {
    self.suite = suite
    switch suite {
    case .standard:
      name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
      defaults = .standard
    case .named(let name):
      // Foundation uses the name as a part of a path without checking it, so ".." could lead to any directory.
      if let problem = PathComponent.problem(with: name, limit: PathComponent.maximumFileLength) {
        throw Self.failure(name, problem)
      }
      if name == UserDefaults.globalDomain { throw Self.failure(name, "all programs share this suite") }
      guard let defaults = UserDefaults(suiteName: name) else {
        throw Self.failure(name, "these are the program's own defaults; use the standard suite")
      }
      self.name = name
      self.defaults = defaults
    }
  }

  /// The key in the file of an environment.
  ///
  /// Each program has a standard suite of its own.
  var key: String { suite == .standard ? "standard \(name)" : "suite \(name)" }

  /// The name in errors.
  var title: String { suite == .standard ? "The standard user defaults" : "The user defaults \(name.debugDescription)" }

  private static func failure(_ name: String, _ reason: String) -> AppContainerError {
    .settingsFailed("The user defaults \(name.debugDescription)", reason: reason)
  }

  /// Saves the values of this process, and reads the values of others.
  ///
  /// On Linux, Foundation does both only when this is called.
  func synchronize() throws(AppContainerError) {
    guard defaults.synchronize() else {
      throw .settingsFailed(title, reason: "pending values could not be saved to the user's configuration")
    }
  }

  /// The values that were set, without registered values and program arguments.
  ///
  /// These are the saved values, so call ``synchronize()`` first.
  func values() -> [String: Any] {
    #if !canImport(Darwin)
      // The object that reads a domain by its name has a cache of its own.
      UserDefaults(suiteName: name)?.synchronize()
    #endif
    return defaults.persistentDomain(forName: name) ?? [:]
  }

  /// Returns the stored values, regardless of what this process has set or read.
  func storedValues() throws -> [String: Any] {
    #if canImport(Darwin)
      // On this platform, all processes ask the same service.
      return values()
    #else
      let environment = ProcessInfo.processInfo.environment
      let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
      let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.config"
      let url = URL(filePath: "\(folder)/\(name).plist", directoryHint: .notDirectory)
      guard let data = try DurableFile.readIfPresent(url) else { return [:] }
      return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
    #endif
  }

  /// Returns a string as this process sees it, which may be set but not saved.
  func string(forKey key: String) -> String? { defaults.string(forKey: key) }

  /// Sets a string without saving it yet.
  func set(_ text: String, forKey key: String) { defaults.set(text, forKey: key) }

  /// Replaces all values, in memory and on disk.
  ///
  /// The value of the key `last` is written last.
  func replace(by new: [String: Any], endingWith last: String) throws(AppContainerError) {
    // Values that are not saved yet belong to the old environment.
    try synchronize()
    for key in values().keys where new[key] == nil { defaults.removeObject(forKey: key) }
    for (key, value) in new where key != last { defaults.set(value, forKey: key) }
    if let value = new[last] { defaults.set(value, forKey: last) }
    try synchronize()
    guard Set(values().keys) == Set(new.keys) else {
      throw .settingsFailed(title, reason: "another process changed them at the same time")
    }
  }
}
