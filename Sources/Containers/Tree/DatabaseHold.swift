import CLibrary
import FileSignals
import Foundation

/// The read locks of SQLite on a database, under which its files can be copied one after another.
///
/// The locks are those of a reader, as SQLite documents them in "File Locking And Concurrency" and "WAL-mode File
/// Format". Writers of a database with a write-ahead log go on, because they only append to the log:
///
/// - the shared lock of the database keeps others from writing to it without the log, from leaving the mode of the log,
///   and from removing the log;
/// - the lock of checkpoints keeps them from copying the log into the database;
/// - the lock of a read mark keeps writers from starting the log again at its beginning.
///
/// The locks belong to a table of descriptors; see ``SeparateDescriptors``. They are released with the object. Until
/// then, no other descriptor of the database or of the index of its log may be closed in the same table.
final class DatabaseHold {
  /// The outcome of an attempt to acquire the locks.
  enum Outcome {
    case held(DatabaseHold)
    /// Another program holds a lock that excludes readers.
    case busy
    /// The file system has no locks, or the index of the log is not accessible.
    case impossible
  }

  /// The database, which is open for reading.
  let database: Descriptor

  /// The index of the log, or `nil` if there is no log or no connection to the database.
  private let index: Descriptor?

  /// A Boolean value that indicates whether the database has a write-ahead log.
  let hasLog: Bool

  private init(database: consuming Descriptor, index: consuming Descriptor?, hasLog: Bool) {
    self.database = database
    self.index = index
    self.hasLog = hasLog
  }

  /// A Boolean value that indicates whether a connection may have begun to use the log since the locks were acquired.
  ///
  /// The first connection creates the index before it does anything else, and cannot remove it because of these locks.
  func isLogUntouched(_ name: EntryPath, in folder: Folder) throws(AppContainerError) -> Bool {
    if !hasLog || index != nil { return true }
    return try folder.status(of: name + "-shm") == nil
  }

  /// A Boolean value that indicates whether a transaction without a log is in progress.
  ///
  /// Such a transaction has not changed the database yet, so its journal is not needed.
  var isJournalOfWriter: Bool { !hasLog && !isFree(Self.reserved, of: database.number) }

  /// Acquires the locks without waiting.
  static func acquire(
    _ database: consuming Descriptor, _ name: EntryPath, in folder: Folder, isLogged: Bool
  ) -> Outcome {
    let number = database.number
    // A writer that waits for readers keeps new ones away with the first lock.
    guard lock(pending, 1, of: number) else { return refusal }
    let isShared = lock(shared, 510, of: number)
    let failure = errno
    unlock(pending, 1, of: number)
    errno = failure
    guard isShared else { return refusal }
    guard let hasLog = isLogged ? true : Self.isLogged(number) else { return .impossible }
    guard hasLog else {
      return .held(DatabaseHold(database: database, index: nil, hasLog: false))
    }
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    guard let index = Descriptor(uninterrupted { openat(folder.number, (name + "-shm").cString, flags) }) else {
      guard errno == ENOENT else { return .impossible }
      return .held(DatabaseHold(database: database, index: nil, hasLog: true))
    }
    guard lock(checkpoint, 1, of: index.number) else { return refusal }
    guard marks.contains(where: { lock($0, 1, of: index.number) }) else { return refusal }
    return .held(DatabaseHold(database: database, index: index, hasLog: true))
  }

  private static var refusal: Outcome { errno == EAGAIN || errno == EACCES || errno == EINTR ? .busy : .impossible }

  /// Returns whether the header of a database requests a write-ahead log, or `nil` if it cannot be read.
  private static func isLogged(_ number: CInt) -> Bool? {
    var versions: (UInt8, UInt8) = (0, 0)
    let count = uninterrupted { pread(number, &versions, 2, 18) }
    return count < 0 ? nil : count == 2 && (versions.0 == 2 || versions.1 == 2)
  }

  // The places of the locks in the database.
  private static let (pending, reserved, shared): (off_t, off_t, off_t) = (0x4000_0000, 0x4000_0001, 0x4000_0002)

  // The places of the locks in the index of the log.
  private static let checkpoint: off_t = 121
  private static let marks: ClosedRange<off_t> = 124...127

  private static func lock(_ start: off_t, _ length: off_t, of number: CInt) -> Bool {
    var place = region(F_RDLCK, start, length)
    return fcntl(number, F_SETLK, &place) == 0
  }

  private static func unlock(_ start: off_t, _ length: off_t, of number: CInt) {
    var place = region(F_UNLCK, start, length)
    _ = fcntl(number, F_SETLK, &place)
  }

  private func isFree(_ start: off_t, of number: CInt) -> Bool {
    var place = Self.region(F_RDLCK, start, 1)
    return fcntl(number, F_GETLK, &place) != 0 || Int32(place.l_type) == Int32(F_UNLCK)
  }

  private static func region(_ kind: Int32, _ start: off_t, _ length: off_t) -> flock {
    var place = flock()
    place.l_type = Int16(kind)
    place.l_whence = Int16(SEEK_SET)
    place.l_start = start
    place.l_len = length
    return place
  }
}

@available(*, unavailable)
extension DatabaseHold: Sendable {}
