package import Foundation

/// State outside of an environment's files that is switched with them, such as preferences and cookies.
///
/// The directories are metadata directories of environments. They exist, and all kinds of settings share them, so each
/// implementation uses file names of its own.
package protocol EnvironmentSettings: Sendable {
  /// The name in errors.
  var name: String { get }

  /// Returns whether other settings with the same name switch the same state.
  func isSame(as other: any EnvironmentSettings) -> Bool

  /// Makes memory hold the state of the active environment. State without an owner belongs to that environment.
  ///
  /// It is called once, before the settings take part in switches.
  func begin(in directory: URL) throws

  /// Writes what memory holds for the environment that goes, durably, below `directory`, and clears nothing yet.
  ///
  /// It is called before the switch.
  func flush(into directory: URL) throws

  /// Replaces what memory holds by what `directory` holds; nothing there means empty.
  ///
  /// It is called after the switch, and after a switch that failed with the directory of the environment that stays.
  func load(from directory: URL) throws

  /// Makes memory hold the state of the active environment, after a change that was never finished.
  ///
  /// Another process may have begun it and flushed only for itself. So this replaces only the state that the change has
  /// put there.
  func resume(in directory: URL) throws

  /// Follows a switch by another process, or the emptying of the active environment.
  ///
  /// That process has flushed and loaded for itself. The state that this process keeps still belongs to the old
  /// environment.
  func follow(from old: URL, to new: URL) throws
}

extension EnvironmentSettings {
  package func begin(in directory: URL) throws {}

  package func resume(in directory: URL) throws { try load(from: directory) }

  package func follow(from old: URL, to new: URL) throws {
    try load(from: new)
  }
}

extension EnvironmentSettings {
  package func isSame(as other: any EnvironmentSettings) -> Bool { true }
}
