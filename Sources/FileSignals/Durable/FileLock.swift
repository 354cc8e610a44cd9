import CLibrary
package import Foundation
package import Signals
import Synchronization

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

  /// A Boolean value that indicates whether ``HeldLocks`` lists the lock.
  private let isListed = Atomic(false)

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
    guard let status = file.status else {
      let reason = errno
      // A new file that its creator cannot examine would stay behind.
      if opening == .new { unlinkat(directory, path, 0) }
      errno = reason
      return nil
    }
    identity = status.identity
    self.url = url
    self.file = file
  }

  deinit {
    // While the lock is listed, a suspension waits for its release.
    if isListed.load(ordering: .relaxed) { unlock() }
  }

  /// The descriptor of the file.
  package var number: CInt { file.number }

  /// The current status of the file, or `nil` with `errno` set.
  package var status: FileStatus? { file.status }

  /// Waits until the lock is free, and acquires it.
  ///
  /// - Parameter mode: The kind of lock.
  /// - Throws: ``DurableFileError`` if the system refuses, if this process is suspended in the directory of the file, or
  ///   if the limit for waiting there has passed.
  @available(*, noasync, message: "It may wait for another process")
  package func lock(_ mode: Mode = .exclusive) throws(DurableFileError) {
    _ = try listed { () throws(DurableFileError) in
      try acquire(mode)
      // The wait may have lasted longer than the suspension waited for it.
      try DirectoryRules.checkOpen(url)
      return true
    }
    LockHolder.record(in: number)
  }

  /// Acquires the lock if it is free.
  ///
  /// - Parameter mode: The kind of lock.
  /// - Returns: `true` if the lock has been acquired.
  /// - Throws: ``DurableFileError`` if the system refuses for another reason, or if this process is suspended in the
  ///   directory of the file.
  package func tryLock(_ mode: Mode = .exclusive) throws(DurableFileError) -> Bool {
    try listed { () throws(DurableFileError) in
      guard try tryAcquire(mode) else { return false }
      // A suspension with a limit may have ceased to wait for the attempt.
      try DirectoryRules.checkOpen(url)
      return true
    }
  }

  /// Releases the lock; the file stays open.
  package func unlock() {
    _ = flock(number, LOCK_UN)
    unlist()
  }

  // MARK: Locks that their owner lists

  /// Acquires the lock, which the caller must list, so that a suspension waits for its release.
  @available(*, noasync)
  func acquire(_ mode: Mode = .exclusive) throws(DurableFileError) {
    try DirectoryRules.checkOpen(url)
    if let limit = DirectoryRules.limit(for: url) { return try acquire(mode, within: limit) }
    guard uninterrupted({ flock(number, mode.operation) }) == 0 else { throw DurableFileError(errno, "lock", url) }
  }

  /// Acquires the lock if it is free; the caller must list it.
  func tryAcquire(_ mode: Mode = .exclusive) throws(DurableFileError) -> Bool {
    try DirectoryRules.checkOpen(url)
    if uninterrupted({ flock(number, mode.operation | LOCK_NB) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw DurableFileError(errno, "lock", url) }
    return false
  }

  @available(*, noasync)
  private func acquire(_ mode: Mode, within limit: Duration) throws(DurableFileError) {
    let acquired = try Self.waiting.repeating(within: limit) { () throws(DurableFileError) in
      try tryAcquire(mode) ? true : nil
    }
    if acquired == nil { throw .lockTimeout(url, after: limit, holder: holder) }
  }

  /// The pauses between attempts, because no system call waits for a lock with a time limit.
  package static var waiting: Backoff { .exponential(from: .microseconds(50), upTo: .milliseconds(10), factor: 1.5) }

  /// The process that holds the lock; `nil` if it is unknown.
  package var holder: LockHolder? { LockHolder.find(identity, descriptor: number) }

  /// Acquires the lock with a closure, and lists it.
  ///
  /// It is listed before the attempt, so that a suspension waits for the attempt.
  private func listed(_ acquire: () throws(DurableFileError) -> Bool) throws(DurableFileError) -> Bool {
    HeldLocks.shared.note(.sought, number, url)
    isListed.store(true, ordering: .relaxed)
    do throws(DurableFileError) {
      if try acquire() {
        HeldLocks.shared.note(.held, number, url)
        return true
      }
    } catch {
      unlock()
      throw error
    }
    unlist()
    return false
  }

  private func unlist() {
    guard isListed.load(ordering: .relaxed) else { return }
    isListed.store(false, ordering: .relaxed)
    HeldLocks.shared.remove(number)
  }

  /// Returns a Boolean value that indicates whether a path still names the open file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - directory: The open directory to which a relative path refers.
  /// - Returns: `false` if the file was removed or replaced.
  /// - Throws: ``DurableFileError`` if that is unknown.
  package func isFile(at path: String, in directory: CInt = AT_FDCWD) throws(DurableFileError) -> Bool {
    try FileStatus(path: path, relativeTo: directory, followsLinks: false, of: url)?.identity == identity
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
    var acquired: FileLock?
    _ = try waiting.repeating(within: DirectoryRules.patience(for: url)) { () throws(DurableFileError) -> Bool? in
      guard let lock = FileLock(path, in: directory, opening, of: url, owner: owner()) else {
        throw DurableFileError(errno, "lock", url)
      }
      guard try lock.tryLock() else { return false }
      guard try lock.isFile(at: path, in: directory) else { return nil }
      acquired = consume lock
      return true
    }
    return acquired
  }
}
