package import CLibrary
package import Foundation

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
  /// The permissions, with the bits for other users and groups at execution and the sticky bit.
  package let mode: UInt16
  package let owner: UInt32
  let group: UInt32
  package let size: Int
  let linkCount: Int
  package let accessed: timespec
  /// The time of the last change of the content.
  package let modified: timespec
  /// The time of the last change of the content or the attributes.
  let changed: timespec

  package var permissions: UInt16 { mode & 0o777 }

  package var isLinked: Bool { linkCount > 0 }

  package var stamp: FileStamp { FileStamp(self) }

  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    kind = Kind(mode: UInt32(status.st_mode))
    mode = UInt16(status.st_mode & 0o7777)
    owner = status.st_uid
    group = status.st_gid
    size = Int(status.st_size)
    linkCount = Int(status.st_nlink)
    #if canImport(Darwin)
      (accessed, modified, changed) = (status.st_atimespec, status.st_mtimespec, status.st_ctimespec)
    #else
      (accessed, modified, changed) = (status.st_atim, status.st_mtim, status.st_ctim)
    #endif
  }

  /// Reads the status of the file at a path; `nil` if there is no file.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which need not be valid UTF-8.
  ///   - directory: The open directory to which a relative path refers.
  ///   - followsLinks: A Boolean value that determines whether to follow a symbolic link at the path.
  ///   - url: The file that errors report, if it is not at `path`.
  /// - Throws: ``DurableFileError`` if it is unknown whether there is a file.
  package init?(
    path: UnsafePointer<CChar>, relativeTo directory: CInt = AT_FDCWD, followsLinks: Bool = true,
    of url: @autoclosure () -> URL? = nil
  ) throws(DurableFileError) {
    var status = stat()
    guard fstatat(directory, path, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
      let error = DurableFileError(unlessAbsent: errno, "inspect", url() ?? URL(filePath: String(cString: path)))
      if let error { throw error }
      return nil
    }
    self.init(status)
  }

  /// Returns the status of the file at a path, or `nil` with `errno` set if there is no file or its status cannot be
  /// read.
  ///
  /// Use it only where both have the same consequence, such as for a detail of a message.
  package static func ifReadable(
    path: UnsafePointer<CChar>, relativeTo directory: CInt = AT_FDCWD, followsLinks: Bool = true
  ) -> FileStatus? {
    var status = stat()
    let result = fstatat(directory, path, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    return result == 0 ? FileStatus(status) : nil
  }
}

extension DurableFileError {
  /// Creates the error of a failed system call; `nil` if the call failed because the file does not exist.
  ///
  /// A missing name and a parent that is not a directory are the only proofs of absence. After any other failure, such
  /// as a damaged disk or a missing permission, the file may exist.
  package init?(unlessAbsent errno: CInt, _ operation: String, _ url: @autoclosure () -> URL) {
    if errno == ENOENT || errno == ENOTDIR { return nil }
    self.init(errno, operation, url())
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

/// Returns the path without symbolic links, `.` and `..`, or `nil` if the file does not exist.
///
/// - Parameters:
///   - path: The path.
///   - url: The file that errors report, if it is not at `path`.
/// - Returns: The path, or `nil` with `errno` set.
/// - Throws: ``DurableFileError`` if it is unknown whether the file exists.
package func canonicalPath(
  _ path: String, of url: @autoclosure () -> URL? = nil
) throws(DurableFileError) -> String? {
  guard let resolved = realpath(path, nil) else {
    let reason = errno
    if let error = DurableFileError(unlessAbsent: reason, "resolve", url() ?? URL(filePath: path)) { throw error }
    errno = reason
    return nil
  }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Returns the path of a file without symbolic links, `.` and `..`, even if the file does not exist yet.
///
/// A link to a missing file leads to the place at which the file would be created.
///
/// - Parameter path: The path of the file.
/// - Returns: The path, or `nil` if its directory does not exist or cannot be examined. Opening the file gives the
///   reason.
package func canonicalPath(ofFile path: String) -> String? {
  var path = path
  do throws(DurableFileError) {
    for _ in 0..<40 {
      if let canonical = try canonicalPath(path) { return canonical }
      let (parent, name) = FileLocation.split(path)
      guard errno == ENOENT, !["", ".", ".."].contains(name), let directory = try canonicalPath(parent) else {
        return nil
      }
      let file = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
      guard let destination = destination(ofLink: file) else { return file }
      path = destination.begins(with: "/") ? destination : "\(directory)/\(destination)"
    }
  } catch {
    return nil
  }
  return nil
}

/// Returns the destination of a symbolic link, or `nil` with `errno` set if there is no link at the path.
func destination(ofLink path: String) -> String? {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
    // Sound: `readlink` writes at most the given number of bytes.
    let count = buffer.withMemoryRebound(to: CChar.self) { buffer in
      buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}

/// The properties of a file that usually change when the file changes.
///
/// They do not always: two changes within one tick of the file system's clock have the same stamp. They do if the clock
/// is fine, see ``isFine(since:)``.
package struct FileStamp: Equatable, Sendable {
  let identity: FileIdentity
  let size: Int
  /// The time of the last change of the content, in nanoseconds.
  package let modified: Int64
  /// The time of the last change of the content or the attributes, in nanoseconds.
  package let changed: Int64

  init(_ status: FileStatus) {
    (identity, size) = (status.identity, status.size)
    (modified, changed) = (Self.nanoseconds(status.modified), Self.nanoseconds(status.changed))
  }

  /// Reads the stamp of the file at a path, following symbolic links; `nil` if there is no file.
  ///
  /// - Throws: ``DurableFileError`` if it is unknown whether there is a file.
  package init?(path: String) throws(DurableFileError) {
    guard let status = try FileStatus(path: path) else { return nil }
    self.init(status)
  }

  /// Returns the stamp of the file at a path, or `nil` if there is no file or its stamp cannot be read.
  ///
  /// Use it only where both have the same consequence.
  package static func ifReadable(path: String) -> FileStamp? { FileStatus.ifReadable(path: path)?.stamp }

  /// Returns a Boolean value that indicates whether the content is the same, as far as the stamps can show.
  package func hasContent(of other: FileStamp) -> Bool {
    identity == other.identity && size == other.size && modified == other.modified
  }

  /// Finds out whether the file system's clock is so fine that every later change of the file changes its stamp.
  ///
  /// Clocks of file systems are the ticks of the system, which last a millisecond or more, or as fine as its counters
  /// (on Linux since 6.13: for each change after the times have been read). Two times that differ, but by less than half
  /// a millisecond, cannot be ticks.
  ///
  /// - Parameter earlier: The stamp of the same file before its last change.
  /// - Returns: `false` if that is unknown.
  func isFine(since earlier: FileStamp) -> Bool {
    (1..<500_000).contains(changed &- earlier.changed)
  }

  /// Returns the age of a file by one of its times; negative if the time is in the future.
  ///
  /// A program may give a file any time, so a difference of integers could overflow. The nanoseconds of a stamp wrap
  /// around for times that are centuries away from 1970. Such an age is wrong, but no call traps.
  ///
  /// - Parameters:
  ///   - time: The time since 1970.
  ///   - now: The present time since 1970.
  /// - Returns: The age.
  package static func age(of time: Duration, at now: Duration = .seconds(Date().timeIntervalSince1970)) -> Duration {
    now - time
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
