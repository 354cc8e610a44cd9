import CLibrary

/// Creates a directory unless it exists, and waits until its name is on the disk.
///
/// A file survives a power failure only if the names of all directories above it do. A directory is created once, and
/// processes that use other durabilities share it, so its creation always waits. The process that creates it may be
/// killed before that. So a new directory has a mark until its name is on the disk, and whoever finds the mark waits,
/// too.
///
/// - Parameters:
///   - path: The directory, whose parent directory exists.
///   - base: The open directory to which a relative path refers.
///   - permissions: The permissions of the directory.
/// - Returns: `true` if it was created; otherwise `errno` is set, and this call has created nothing. If something
///   exists at the path, it is `EEXIST`.
package func makeDirectory(_ path: String, in base: CInt = AT_FDCWD, permissions: UInt16 = 0o700) -> Bool {
  makeDirectory(path, parent: FileLocation.split(path).parent, in: base, permissions: permissions)
}

/// Creates a directory, whose path need not be valid UTF-8, unless it exists, and waits until its name is on the disk.
///
/// - Parameters:
///   - path: The directory.
///   - parent: The path of its parent directory, which exists.
///   - base: The open directory to which relative paths refer.
///   - permissions: The permissions of the directory.
/// - Returns: `true` if it was created; otherwise `errno` is set, and this call has created nothing. If something
///   exists at the path, it is `EEXIST`.
package func makeDirectory(
  _ path: UnsafePointer<CChar>, parent: UnsafePointer<CChar>, in base: CInt, permissions: UInt16
) -> Bool {
  let isNew = mkdirat(base, path, UnsavedMark.adding(to: mode_t(permissions))) == 0
  guard isNew || errno == EEXIST else { return false }
  let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
  if !isNew, !UnsavedMark.isSet(at: path, in: base) {
    errno = EEXIST
    return false
  }
  var parent = uninterrupted { openat(base, parent, flags) }
  // In a parent directory that this process may not read, it can only synchronize the new one. With a journal, this
  // stores the name as well.
  if parent < 0, errno == EACCES || errno == EPERM { parent = uninterrupted { openat(base, path, flags) } }
  if let names = Descriptor(parent), UnsavedMark.synchronizeNames(names) {
    if let directory = Descriptor(uninterrupted { openat(base, path, flags | O_NOFOLLOW) }) {
      UnsavedMark.remove(from: directory)
    }
    errno = EEXIST
    return isNew
  }
  // The next call must not find a directory whose name may be lost.
  let reason = errno
  if isNew { unlinkat(base, path, AT_REMOVEDIR) }
  errno = reason
  return false
}

/// The mark of a directory whose name may not be on the disk yet: the sticky bit, where only the owner may write and it
/// has no other effect.
///
/// Linux sets it together with the creation. Darwin ignores it there, so a process that is killed in that moment leaves
/// the name to the order in which its file systems store names.
private enum UnsavedMark {
  private static let bit = mode_t(S_ISVTX)

  private static func isEffective(_ mode: mode_t) -> Bool { mode & 0o022 != 0 }

  static func adding(to mode: mode_t) -> mode_t { isEffective(mode) ? mode : mode | bit }

  static func isSet(at path: UnsafePointer<CChar>, in base: CInt) -> Bool {
    FileStatus.ifReadable(path: path, relativeTo: base, followsLinks: false).map(isSet) ?? false
  }

  private static func isSet(_ status: FileStatus) -> Bool {
    let mode = mode_t(status.mode)
    return status.kind == .directory && mode & bit != 0 && !isEffective(mode)
  }

  /// Waits until the names in a directory are on the disk, and, if it has the mark itself, its own name.
  static func synchronizeNames(_ directory: borrowing Descriptor) -> Bool {
    guard FileSignals.synchronizeNames(directory.number) else { return false }
    guard let status = directory.status, isSet(status) else { return true }
    let above = Descriptor(uninterrupted { openat(directory.number, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    // Where this process may not read, it trusts the one that created the directory.
    guard let above else { return errno == EACCES || errno == EPERM }
    // The directory above the root is the root.
    let isRoot = above.status?.identity == status.identity
    guard isRoot || synchronizeNames(above) else { return false }
    remove(from: directory)
    return true
  }

  /// Removes the mark, or leaves it to a process of the owner, who alone can.
  static func remove(from directory: borrowing Descriptor) {
    guard let status = directory.status, isSet(status) else { return }
    fchmod(directory.number, mode_t(status.mode) & ~bit)
  }
}

/// Gives a file or directory that the superuser has just created to the owner of its parent directory.
///
/// Otherwise a program that once ran as root would lock the owner out of its own data.
///
/// The function does nothing if the process is not the superuser, or if root owns the parent directory. It also does
/// nothing for a file that may be older than this call, because it has content or another hard link. A user may have
/// made that link to a file that root owns.
///
/// - Parameters:
///   - number: The descriptor of the new file or directory.
///   - directory: The status of the parent directory; evaluated only if needed.
package func inheritOwner(_ number: CInt, from directory: @autoclosure () -> FileStatus?) {
  guard geteuid() == 0, let owner = directory(), owner.owner != 0 else { return }
  guard let made = FileStatus(descriptor: number), made.owner == 0 else { return }
  switch made.kind {
  case .directory: break
  case .regular where made.size == 0 && made.linkCount == 1: break
  default: return
  }
  _ = fchown(number, owner.owner, owner.group)
}

/// Gives a directory that the superuser has just created to the owner of its parent directory.
///
/// - Parameters:
///   - path: The new directory. A link in its place is not followed.
///   - parent: The path of the parent directory.
package func inheritOwner(ofDirectory path: String, from parent: @autoclosure () -> String) {
  guard geteuid() == 0 else { return }
  let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
  guard let made = Descriptor(uninterrupted { open(path, flags) }) else { return }
  inheritOwner(made.number, from: .ifReadable(path: parent()))
}
