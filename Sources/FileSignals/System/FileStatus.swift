#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How many bytes a name may have, on every file system worth mentioning.
let longestName = 255

/// What tells one file from every other that exists at the same time.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
}

/// The part of a file's status that this module looks at.
package struct FileStatus: Sendable {
  /// What kinds of things have a path.
  package enum Kind: String, Sendable {
    case regular = "a regular file"
    case directory = "a directory"
    case link = "a symbolic link"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"

    /// The kind that the mode of a file says.
    package init(mode: UInt32) {
      self =
        switch mode_t(mode) & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFLNK: .link
        case S_IFIFO: .pipe
        case S_IFSOCK: .socket
        default: .device
        }
    }
  }

  package let identity: FileIdentity
  package let kind: Kind
  package let permissions: UInt16
  package let owner: UInt32
  let group: UInt32
  package let size: Int
  package let isLinked: Bool

  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    kind = Kind(mode: UInt32(status.st_mode))
    permissions = UInt16(status.st_mode & 0o777)
    owner = status.st_uid
    group = status.st_gid
    size = Int(status.st_size)
    isLinked = status.st_nlink > 0
  }

  /// Looks at a path, following symbolic links or not; `nil` with `errno` set if there is nothing.
  package init?(path: String, relativeTo directory: CInt = AT_FDCWD, followsLinks: Bool = true) {
    var status = stat()
    guard fstatat(directory, path, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.init(status)
  }
}

/// The path free of symbolic links, `.` and `..`; `nil` with `errno` set if there is nothing at the path.
package func canonicalPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
