import CLibrary
import FileSignals
import Foundation

/// Removes trees.
///
/// Links are removed and never followed.
enum TreeRemover {
  /// The maximum number of directories open at once, so that a deep tree cannot exhaust the file descriptors.
  private static let deepest = 32

  /// Removes an entry and, if it is a directory, its contents; does nothing if it is missing.
  static func remove(_ path: EntryPath, in folder: Folder) throws(AppContainerError) {
    _ = try remove(path, in: folder, top: nil, depth: 0)
  }

  /// Removes an entry of a tree.
  ///
  /// An entry that is nested too deeply is moved up to the top of the tree instead.
  ///
  /// - Returns: `true` if an entry was moved.
  private static func remove(
    _ path: EntryPath, in folder: Folder, top: Folder?, depth: Int
  ) throws(AppContainerError) -> Bool {
    guard let status = try folder.status(of: path) else { return false }
    guard status.kind == .directory else {
      guard unlinkat(folder.number, path.cString, 0) == 0 || errno == ENOENT else {
        throw folder.failure("remove", path)
      }
      return false
    }
    if status.permissions & 0o700 != 0o700 {
      // The directory may deny access even to its owner. If this fails, opening it throws the reason.
      fchmodat(folder.number, path.cString, mode_t(0o700), 0)
    }
    if let top, depth == deepest {
      let place = EntryPath(UUID.random().uuidString)
      guard renameat(folder.number, path.cString, top.number, place.cString) == 0 else {
        throw folder.failure("move", path)
      }
      return true
    }
    var hasMoved = false
    do {
      let directory = try Folder(path, in: folder)
      repeat {
        hasMoved = false
        for name in try directory.names() {
          hasMoved = try remove(name, in: directory, top: top ?? directory, depth: depth + 1) || hasMoved
        }
      } while hasMoved && top == nil
    }
    guard unlinkat(folder.number, path.cString, AT_REMOVEDIR) == 0 || errno == ENOENT else {
      throw folder.failure("remove", path)
    }
    return hasMoved
  }
}
