package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock between processes: an open file that is locked with `flock`.
///
/// - **Holders:** The lock belongs to the open file, so two of these exclude each other even in one process.
/// - **End:** The kernel releases the lock when this value is destroyed or the process dies.
/// - **Names:** The lock stays with the file when another file takes its name. After acquiring the lock, check
///   ``isFile(at:in:)``, and start again if it is `false`.
package struct FileLock: ~Copyable, Sendable {
  /// The ways to open the file, none of which follows a symbolic link or waits at a named pipe.
  package enum Opening: Sendable {
    /// An existing file, only for reading, so that observers see no event when it is closed.
    case reading

    /// An existing file.
    case existing

    /// A file that is created if it is missing.
    case createdIfMissing

    /// A new file, to which all writes are appended.
    case new

    fileprivate var flags: CInt {
      let common = O_NOFOLLOW | O_CLOEXEC
      return switch self {
      case .reading: common | O_RDONLY | O_NONBLOCK | O_NOCTTY
      case .existing: common | O_RDWR | O_NONBLOCK
      case .createdIfMissing: common | O_RDWR | O_NONBLOCK | O_CREAT
      case .new: common | O_RDWR | O_CREAT | O_EXCL | O_APPEND
      }
    }
  }

  /// The other locks of the file that may be held at the same time.
  package enum Mode: Sendable {
    /// No other lock.
    case exclusive

    /// Other shared locks.
    case shared

    fileprivate var operation: CInt { self == .exclusive ? LOCK_EX : LOCK_SH }
  }

  private let file: Descriptor

  /// The file that errors report.
  private let url: URL

  /// The identity of the open file.
  package let identity: FileIdentity

  /// Opens a file, without locking it; `nil` with `errno` set if that fails.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - directory: The open directory to which a relative path refers.
  ///   - opening: The way to open the file.
  ///   - url: The file that errors report.
  ///   - owner: The directory whose owner receives the file if the superuser creates it.
  package init?(
    _ path: String, in directory: CInt = AT_FDCWD, _ opening: Opening, of url: URL,
    owner: @autoclosure () -> FileStatus? = nil
  ) {
    guard let file = Descriptor(uninterrupted { openat(directory, path, opening.flags, 0o600) }) else { return nil }
    inheritOwner(file.number, from: owner())
    guard let status = file.status else { return nil }
    identity = status.identity
    self.url = url
    self.file = file
  }

  /// The descriptor of the file.
  package var number: CInt { file.number }

  /// The current status of the file, or `nil` with `errno` set.
  package var status: FileStatus? { file.status }

  /// Waits until the lock is free, and acquires it.
  ///
  /// - Parameter mode: The kind of lock.
  /// - Throws: ``DurableFileError`` if the system refuses.
  @available(*, noasync, message: "It may wait for another process")
  package func lock(_ mode: Mode = .exclusive) throws(DurableFileError) {
    guard uninterrupted({ flock(number, mode.operation) }) == 0 else { throw DurableFileError(errno, "lock", url) }
  }

  /// Acquires the lock if it is free.
  ///
  /// - Parameter mode: The kind of lock.
  /// - Returns: `true` if the lock has been acquired.
  /// - Throws: ``DurableFileError`` if the system refuses for another reason.
  package func tryLock(_ mode: Mode = .exclusive) throws(DurableFileError) -> Bool {
    if uninterrupted({ flock(number, mode.operation | LOCK_NB) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw DurableFileError(errno, "lock", url) }
    return false
  }

  /// Releases the lock; the file stays open.
  package func unlock() {
    _ = flock(number, LOCK_UN)
  }

  /// Returns a Boolean value that indicates whether a path still names the open file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - directory: The open directory to which a relative path refers.
  /// - Returns: `false` if the file was removed or replaced.
  package func isFile(at path: String, in directory: CInt = AT_FDCWD) -> Bool {
    FileStatus(path: path, relativeTo: directory, followsLinks: false)?.identity == identity
  }

  /// Acquires the lock of the file at a path, if the lock is free, and creates the file if it is missing.
  ///
  /// - Parameters:
  ///   - url: The file that errors report.
  ///   - path: The path of the file, if it differs from the path of the URL.
  ///   - directory: The open directory to which a relative path refers.
  ///   - opening: The way to open the file.
  ///   - owner: The directory whose owner receives the file if the superuser creates it.
  /// - Returns: The lock, or `nil` if another holder has it.
  /// - Throws: ``DurableFileError`` if the file cannot be opened or locked.
  package static func acquired(
    at url: URL, path: String? = nil, in directory: CInt = AT_FDCWD, _ opening: Opening = .createdIfMissing,
    owner: @autoclosure () -> FileStatus? = nil
  ) throws(DurableFileError) -> FileLock? {
    let path = path ?? url.path
    // Another process may remove the file between the two steps. The lock would then no longer exclude a third process.
    for _ in 0..<100 {
      guard let lock = FileLock(path, in: directory, opening, of: url, owner: owner()) else {
        throw DurableFileError(errno, "lock", url)
      }
      guard try lock.tryLock() else { return nil }
      if lock.isFile(at: path, in: directory) { return lock }
    }
    return nil
  }
}
