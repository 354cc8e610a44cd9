import CLibrary
import CSQLite
import FileSignals
import Foundation
import Signals

/// A copy of a database, which appears at its destination when it is complete.
///
/// It is made in a ``CopyFolder`` beside the destination. A file that is already at the destination is replaced.
struct DatabaseCopy {
  /// The path of the copy, without symbolic links.
  let destination: String
  /// The number of pages that are copied between two reports.
  private static let stride: CInt = 128
  private static let backoff = Backoff.exponential(from: .microseconds(100), upTo: .milliseconds(50))

  /// Copies the content that a connection sees.
  ///
  /// If the connection reads from a file, it must be in a transaction that has read. Otherwise each commit by another
  /// connection would begin the copy anew.
  ///
  /// - Parameters:
  ///   - source: The connection.
  ///   - patience: The longest wait for a lock without any progress.
  ///   - beforeReplacing: A closure that is called before the complete copy replaces the destination. If it throws,
  ///     there is no copy.
  ///   - progress: A closure that is called after each part. If it throws, there is no copy.
  /// - Throws: The error of `progress`, `DurableFileError`, or ``DatabaseError``.
  func make(
    from source: SQLiteConnection, patience: Duration, beforeReplacing: () throws -> Void = {},
    _ progress: (DatabaseBackupProgress) throws -> Void
  ) throws {
    CopyFolder.removeAbandoned(in: directory)
    let folder = try CopyFolder(in: directory)
    defer { folder.remove() }
    try create(folder.copy, like: source.path)
    try copy(source, to: folder.copy, patience, progress)
    try beforeReplacing()
    try finish(folder.copy)
  }

  private var directory: String { URL(filePath: destination).deletingLastPathComponent().path }

  private func copy(
    _ source: SQLiteConnection, to partial: String, _ patience: Duration,
    _ progress: (DatabaseBackupProgress) throws -> Void
  ) throws {
    let target = try SQLiteConnection(path: partial, access: .writing, busyTimeout: patience)
    defer { target.close() }
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw DatabaseError(SQLiteFailure(sqlite3_errcode(target.handle), handle: target.handle, path: destination))
    }
    do {
      try run(backup, patience, progress)
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw failure(code) }
    // A copy in one file needs no log to be read.
    _ = try target.value("PRAGMA journal_mode = DELETE")
  }

  private func run(
    _ backup: OpaquePointer, _ patience: Duration, _ progress: (DatabaseBackupProgress) throws -> Void
  ) throws {
    var pauses = Self.backoff.pauses()
    var deadline = ContinuousClock.now + patience
    while true {
      let code = sqlite3_backup_step(backup, Self.stride)
      switch code {
      case SQLITE_OK, SQLITE_DONE:
        let (remaining, total) = (Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
        try progress(DatabaseBackupProgress(completedPageCount: total - remaining, totalPageCount: total))
        if code == SQLITE_DONE { return }
        (pauses, deadline) = (Self.backoff.pauses(), .now + patience)
      case SQLITE_BUSY, SQLITE_LOCKED:
        guard ContinuousClock.now < deadline else { throw failure(code) }
        _ = pauses.sleep()
      default: throw failure(code)
      }
    }
  }

  private func failure(_ code: CInt) -> DatabaseError {
    DatabaseError(SQLiteFailure(code, handle: nil, path: destination))
  }

  // MARK: Files

  /// Creates an empty file that is readable only by users who can read the database.
  private func create(_ partial: String, like source: String) throws(DurableFileError) {
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
    guard let file = Descriptor(uninterrupted { open(partial, flags, 0o600) }) else { throw failure("create", partial) }
    guard let status = try FileStatus(path: source) else { return }
    guard fchmod(file.number, mode_t(status.permissions)) == 0 else { throw failure("set the mode of", partial) }
  }

  /// Synchronises the copy to the disk, and then renames it into place.
  private func finish(_ partial: String) throws(DurableFileError) {
    let file = try opened(partial)
    guard synchronizeContents(file.number, attributes: true) else { throw failure("synchronize", partial) }
    // Opened before the rename, after which only the disk itself can fail.
    let parent = try opened(directory)
    guard rename(partial, destination) == 0 else { throw failure("rename", partial) }
    guard synchronizeNames(parent.number) else { throw failure("synchronize", directory) }
  }

  private func opened(_ path: String) throws(DurableFileError) -> Descriptor {
    guard let file = Descriptor(uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }) else { throw failure("open", path) }
    return file
  }

  /// Returns the error of the last system call.
  private func failure(_ operation: String, _ path: String) -> DurableFileError {
    DurableFileError(errno, operation, URL(filePath: path))
  }
}

/// A hidden folder in which one copy of a database is made, and whose lock shows that its process is running.
///
/// Each copy has a folder of its own, so copies to one destination never use a file of another. A killed process leaves
/// its folder, and the next copy in the same directory removes it.
struct CopyFolder: ~Copyable {
  private let path: String
  private let lock: FileLock

  private static let prefix = ".partial-"

  /// The path of the incomplete copy.
  var copy: String { path + "/copy" }

  /// Creates and locks a folder in a directory.
  init(in directory: String) throws(DurableFileError) {
    for _ in 0..<100 {
      let path = "\(directory)/\(Self.prefix)\(UUID.random().uuidString)"
      guard mkdir(path, 0o700) == 0 else { throw DurableFileError(errno, "create", URL(filePath: path)) }
      do throws(DurableFileError) {
        guard let lock = try Self.lock(path) else { continue }
        self.lock = lock
        self.path = path
        return
      } catch .notFound {
        // Another process found the folder before its lock was held, and has removed it.
        continue
      } catch {
        Self.remove(path)
        throw error
      }
    }
    throw .system(operation: "create a folder in", path: directory, errno: EAGAIN)
  }

  /// Removes the folder with everything that is still in it.
  func remove() {
    Self.remove(path)
    lock.unlock()
  }

  /// Removes the folders in a directory whose processes have ended.
  ///
  /// A folder that cannot be removed is harmless, and the next copy makes another attempt.
  static func removeAbandoned(in directory: String) {
    FileLock.removeUnheld(in: URL(filePath: directory)) { name throws(DurableFileError) in
      guard name.hasPrefix(prefix), UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else { return nil }
      let isFolder = FileStatus.ifReadable(path: "\(directory)/\(name)", followsLinks: false)?.kind == .directory
      return isFolder ? try lock("\(directory)/\(name)") : nil
    } remove: { name in
      remove("\(directory)/\(name)")
    }
  }

  private static func lock(_ path: String) throws(DurableFileError) -> FileLock? {
    try FileLock.acquired(at: URL(filePath: path + "/lock", directoryHint: .notDirectory))
  }

  /// Removes a folder of this process, or one whose lock this process holds.
  private static func remove(_ path: String) {
    // The lock is removed last, because it gives the right to touch the other files.
    for name in ["copy", "copy-wal", "copy-shm", "copy-journal", "lock"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

extension FileLock {
  /// Removes what is left in a directory by processes that have ended: what no process holds the lock of.
  ///
  /// A name that cannot be removed is left in place.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - lock: Returns the lock of a name, or `nil` if a process holds it, or if the name is another one.
  ///   - remove: Removes a name, with the lock held.
  static func removeUnheld(
    in directory: URL, _ lock: (String) throws(DurableFileError) -> FileLock?, remove: (String) -> Void
  ) {
    var names: [String] = []
    do throws(DurableFileError) {
      names = try DirectoryListing.names(in: directory) ?? []
    } catch {
      return
    }
    for name in names {
      do throws(DurableFileError) {
        guard let lock = try lock(name) else { continue }
        remove(name)
        lock.unlock()
      } catch {
        continue
      }
    }
  }
}
