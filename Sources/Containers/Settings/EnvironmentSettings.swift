import FileSignals
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

  /// Loads the state of the active environment. State without an owner belongs to that environment.
  ///
  /// It is called once, before the settings take part in switches.
  func begin(in directory: URL) throws

  /// Saves the state in memory durably in `directory`, without clearing it.
  ///
  /// It is called before the switch.
  func flush(into directory: URL) throws

  /// Replaces the state in memory with the state in `directory`, which is empty if there is no file.
  ///
  /// It is called after the switch. After a switch that failed, it is called with the directory of the environment that
  /// stays active.
  func load(from directory: URL) throws

  /// Restores the state of the active environment after a change that was not completed.
  ///
  /// Another process may have begun the change and saved only its own state. So this method replaces only state that
  /// the change has loaded.
  func resume(in directory: URL) throws

  /// Follows a switch by another process, or the emptying of the active environment.
  ///
  /// That process has saved and loaded only its own state. The state of this process still belongs to the old
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

/// The directories that contain the settings of inactive environments, and the owners of these directories.
enum SettingsDirectory {
  /// The owner of settings while they are replaced one by one.
  ///
  /// They belong to no environment, and the settings of the active one are still in its file.
  static let unowned = "nobody"

  /// Returns the content of a file of settings, or `nil` if there is none.
  ///
  /// An archive may contain a file of any size.
  static func contents(of url: URL) throws(DurableFileError) -> Data? {
    try DurableFile.readIfPresent(url, limit: UntrustedPropertyList.largestSize)
  }

  /// Replaces a file of settings.
  ///
  /// - Parameters:
  ///   - contents: The new content.
  ///   - url: The file.
  ///   - name: The settings that an error names.
  /// - Throws: ``AppContainerError/settingsFailed(_:reason:)`` if the content is too large to be read again, or
  ///   `DurableFileError`. The file is then unchanged.
  static func write(_ contents: Data, to url: URL, of name: String) throws {
    let limit = UntrustedPropertyList.largestSize
    guard contents.count <= limit else {
      let reason = "they need \(contents.count) bytes, and the limit is \(limit)"
      throw AppContainerError.settingsFailed(name, reason: reason)
    }
    try DurableFile.write(contents, to: url, durability: .storage, mode: 0o600)
  }

  /// Returns the identifier of the environment that a directory belongs to.
  static func owner(of directory: URL) -> String { directory.deletingLastPathComponent().lastPathComponent }

  /// Returns the directory in which to save settings: `directory`, or the one of another environment that still owns
  /// them; `nil` if no environment owns them.
  static func place(of owner: String?, insteadOf directory: URL) throws(DurableFileError) -> URL? {
    guard let owner, owner != self.owner(of: directory) else { return directory }
    return try existing(of: owner, beside: directory)
  }

  /// Returns the directory of another environment of the same root, if it still exists.
  static func existing(of owner: String, beside directory: URL) throws(DurableFileError) -> URL? {
    let hidden = directory.deletingLastPathComponent().deletingLastPathComponent()
    // Other programs may have written this string. Only an identifier may become part of a path.
    guard let name = UUID(uuidString: owner)?.uuidString else { return nil }
    let other = hidden.appending(path: name)
      .appending(path: directory.lastPathComponent, directoryHint: .isDirectory)
    return try FileStatus(path: other.path, followsLinks: false)?.kind == .directory ? other : nil
  }
}
