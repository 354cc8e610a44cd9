import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Removes trees; links are removed, never followed.
enum TreeRemover {
  /// Removes an entry and, if it is a directory, all that is in it; does nothing if there is none.
  static func remove(_ path: EntryPath, in folder: Folder) throws(AppContainerError) {
    guard let status = folder.status(of: path) else { return }
    guard status.kind == .directory else {
      guard unlinkat(folder.number, path.cString, 0) == 0 || errno == ENOENT else {
        throw folder.failure("remove", path)
      }
      return
    }
    if status.permissions & 0o700 != 0o700 {
      // What its owner has closed can still be thrown away by its owner; if not, opening tells why.
      fchmodat(folder.number, path.cString, mode_t(0o700), 0)
    }
    do {
      let directory = try Folder(path, in: folder)
      for name in try directory.names() { try remove(name, in: directory) }
    }
    guard unlinkat(folder.number, path.cString, AT_REMOVEDIR) == 0 || errno == ENOENT else {
      throw folder.failure("remove", path)
    }
  }
}
