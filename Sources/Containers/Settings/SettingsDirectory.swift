import FileSignals
import Foundation

/// The directories in which settings lie while their environments are not active, and whose they are.
enum SettingsDirectory {
  /// What stands in the place of an owner while settings are replaced, one by one: what is there is nobody's, and the
  /// environment that is active has its own where it was written before.
  static let nobody = "nobody"

  /// The identifier of the environment that a directory belongs to.
  static func owner(of directory: URL) -> String { directory.deletingLastPathComponent().lastPathComponent }

  /// Where settings are written down that are to be written for `directory`: there, unless they say that they could not
  /// be replaced and are another environment's; nowhere, if they are nobody's.
  static func place(of owner: String?, insteadOf directory: URL) -> URL? {
    guard let owner, owner != self.owner(of: directory) else { return directory }
    return existing(of: owner, beside: directory)
  }

  /// The directory of another environment of the same root, if there still is one.
  static func existing(of owner: String, beside directory: URL) -> URL? {
    let hidden = directory.deletingLastPathComponent().deletingLastPathComponent()
    // What others may have written there does not become a path unless it is an identifier.
    guard let name = UUID(uuidString: owner)?.uuidString else { return nil }
    let other = hidden.appending(path: name)
      .appending(path: directory.lastPathComponent, directoryHint: .isDirectory)
    return FileStatus(path: other.path, followsLinks: false)?.kind == .directory ? other : nil
  }
}
