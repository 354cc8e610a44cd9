import CLibrary

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
