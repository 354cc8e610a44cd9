#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The maximum number of bytes in a file name, on all common file systems.
let longestName = 255

/// An identity that distinguishes a file from every other that exists at the same time.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
}

/// The parts of a file's status that this module uses.
package struct FileStatus: Sendable {
  /// The kinds of files.
  package enum Kind: String, Sendable {
    case regular = "a regular file"
    case directory = "a directory"
    case link = "a symbolic link"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"

    /// Creates the kind from the mode of a file.
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

  /// Reads the status of the file at a path.
  ///
  /// Fails with `errno` set if there is no file.
  package init?(path: String, relativeTo directory: CInt = AT_FDCWD, followsLinks: Bool = true) {
    var status = stat()
    guard fstatat(directory, path, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.init(status)
  }
}

extension FileStatus {
  /// Reads the status of an open file.
  ///
  /// Fails with `errno` set if the descriptor is not open.
  package init?(descriptor: CInt) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Returns the path without symbolic links, `.` and `..`, or `nil` with `errno` set if the file does not exist.
package func canonicalPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
