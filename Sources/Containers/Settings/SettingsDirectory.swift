import FileSignals
import Foundation

/// The directories in which settings lie while their environments are not active, and whose they are.
enum SettingsDirectory {
  /// The owner while settings are replaced, one by one: they belong to no environment, and the settings of the active
  /// one are still in its file.
  static let unowned = "nobody"

  /// The identifier of the environment that a directory belongs to.
  static func owner(of directory: URL) -> String { directory.deletingLastPathComponent().lastPathComponent }

  /// Returns the directory to save settings in: `directory`, unless they still belong to another environment; `nil` if
  /// they belong to none.
  static func place(of owner: String?, insteadOf directory: URL) -> URL? {
    guard let owner, owner != self.owner(of: directory) else { return directory }
    return existing(of: owner, beside: directory)
  }

  /// The directory of another environment of the same root, if there still is one.
  static func existing(of owner: String, beside directory: URL) -> URL? {
    let hidden = directory.deletingLastPathComponent().deletingLastPathComponent()
    // Other programs may have written this text. Only an identifier becomes a part of a path.
    guard let name = UUID(uuidString: owner)?.uuidString else { return nil }
    let other = hidden.appending(path: name)
      .appending(path: directory.lastPathComponent, directoryHint: .isDirectory)
    return FileStatus(path: other.path, followsLinks: false)?.kind == .directory ? other : nil
  }
}
