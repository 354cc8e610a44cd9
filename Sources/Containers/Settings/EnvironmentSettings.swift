package import Foundation

/// What is kept outside of the files of an environment and has to be switched with them, such as settings and cookies.
///
/// Both directories are metadata directories of environments, one for each; they exist, and belong to all kinds of
/// settings together, so an implementation chooses names there that are its own.
package protocol EnvironmentSettings: Sendable {
  /// What it is, in errors.
  var name: String { get }

  /// Whether another one of this name switches the same settings.
  func isSame(as other: any EnvironmentSettings) -> Bool

  /// Makes what memory holds that of the environment that is active, to which it belongs unless it says otherwise.
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

  /// Makes what memory holds that of the environment that is active, after a change that was begun and never ended.
  ///
  /// Who began it may have been another process, which has flushed for itself alone; so nothing is replaced but what
  /// that change has put there.
  func resume(in directory: URL) throws

  /// Goes over to another environment because another process has switched; or to the same one, because another process
  /// has emptied it.
  ///
  /// That process has flushed and loaded for itself; what this one keeps by itself is still that of the environment that
  /// went.
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
