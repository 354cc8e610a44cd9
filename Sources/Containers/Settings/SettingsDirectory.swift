import FileSignals
import Foundation

/// The directories that contain the settings of inactive environments, and the owners of these directories.
enum SettingsDirectory {
  /// The owner of settings while they are replaced one by one.
  ///
  /// They belong to no environment, and the settings of the active one are still in its file.
  static let unowned = "nobody"

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
