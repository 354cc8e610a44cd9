#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Gives a file or directory that the superuser has just made to the owner of the directory it lies in.
///
/// Otherwise a program that ran as root once would lock the owner out of its own data. Does nothing for other users, in
/// a directory of root's, and for what could be older than this call: a file with content, or with a second name that
/// somebody may have given to a file of root's.
///
/// - Parameters:
///   - number: A descriptor of what was made.
///   - directory: The directory around it; asked for only if need be.
package func inheritOwner(_ number: CInt, from directory: @autoclosure () -> FileStatus?) {
  guard geteuid() == 0, let owner = directory(), owner.owner != 0 else { return }
  var made = stat()
  guard fstat(number, &made) == 0, made.st_uid == 0 else { return }
  switch FileStatus(made).kind {
  case .directory: break
  case .regular where made.st_size == 0 && made.st_nlink == 1: break
  default: return
  }
  _ = fchown(number, owner.owner, owner.group)
}

/// Gives a directory that the superuser has just made to the owner of the one it lies in.
///
/// - Parameters:
///   - path: The new directory; a link in its place is not followed.
///   - parent: The directory around it.
package func inheritOwner(ofDirectory path: String, from parent: @autoclosure () -> String) {
  guard geteuid() == 0 else { return }
  let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
  guard let made = Descriptor(uninterrupted { open(path, flags) }) else { return }
  inheritOwner(made.number, from: FileStatus(path: parent()))
}
