import CLibrary
import FileSignals
import Foundation

/// Renames that never overwrite anything.
enum ExclusiveRename {
  /// Moves an entry from one directory to another without following it if it is a link.
  ///
  /// - Returns: `true` if it was moved, or `false` if the destination exists.
  /// - Throws: ``AppContainerError`` if it cannot be moved; then it is in its old place.
  static func move(
    _ source: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) -> Bool {
    if try rename(source, in: old, to: destination, in: new) { return true }
    if errno == EACCES, let mode = closedMode(of: source, in: old) {
      // The system updates the entry `..` of a directory that gets another parent, for which the owner needs the right
      // to write. A process that is killed here leaves the owner with that right.
      guard fchmodat(old.number, source.cString, mode | 0o700, 0) == 0 else { throw failure(source, old) }
      let isMoved = try rename(source, in: old, to: destination, in: new)
      let reason = errno
      let (place, name) = isMoved ? (new, destination) : (old, source)
      guard fchmodat(place.number, name.cString, mode, 0) == 0 else { throw place.failure("set the mode of", name) }
      if isMoved { return true }
      errno = reason
    }
    if errno == EEXIST || errno == ENOTEMPTY { return false }
    throw failure(source, old)
  }

  /// Renames an entry, and sets `errno` if that fails.
  private static func rename(
    _ source: EntryPath, in old: Folder, to destination: EntryPath, in new: Folder
  ) throws(AppContainerError) -> Bool {
    if let result = system(old.number, source.cString, new.number, destination.cString) {
      if result == 0 { return true }
      // Some file systems do not support exclusive renames.
      guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { return false }
    }
    guard try new.status(of: destination) == nil else {
      errno = EEXIST
      return false
    }
    return renameat(old.number, source.cString, new.number, destination.cString) == 0
  }

  /// Returns the permissions of a directory that its owner may not write to, and `nil` for everything else.
  ///
  /// `errno` is unchanged.
  private static func closedMode(of path: EntryPath, in folder: Folder) -> mode_t? {
    let reason = errno
    defer { errno = reason }
    // The failed rename is reported.
    return tolerating(else: nil) {
      guard let status = try folder.status(of: path), status.kind == .directory, status.permissions & 0o200 == 0 else {
        return nil
      }
      return mode_t(status.mode)
    }
  }

  private static func failure(_ path: EntryPath, _ folder: Folder) -> AppContainerError {
    switch errno {
    case EXDEV: .blocked(folder.place(of: path), reason: "it is on another file system, so it cannot be renamed")
    case EBUSY: .blocked(folder.place(of: path), reason: "a file system is mounted there")
    default: folder.failure("move", path)
    }
  }

  #if canImport(Darwin)
    private static func system(_ old: CInt, _ source: [CChar], _ new: CInt, _ destination: [CChar]) -> CInt? {
      renameatx_np(old, source, new, destination, UInt32(RENAME_EXCL))
    }
  #else
    private typealias Call =
      @convention(c) (
        CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
      ) -> CInt

    /// The function in the C library, whose headers do not expose it to Swift.
    private static let call = systemFunction("renameat2", as: Call.self)

    private static func system(_ old: CInt, _ source: [CChar], _ new: CInt, _ destination: [CChar]) -> CInt? {
      let withoutReplacing: CUnsignedInt = 1
      return call.map { $0(old, source, new, destination, withoutReplacing) }
    }
  #endif
}
