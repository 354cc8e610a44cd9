import FileSignals
public import Foundation
import Signals

extension Database {
  /// Copies the database into another file, while others read and write.
  ///
  /// ```swift
  /// import Foundation
  /// import Stores
  ///
  /// let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
  /// let database = try Database(.memory)
  /// try database.write { try $0.execute("CREATE TABLE note (text TEXT)") }
  /// try database.backup(to: copy) { progress in
  ///   if progress.isCompleted { print("copied") }  // Prints "copied"
  /// }
  /// try FileManager.default.removeItem(at: copy)
  /// ```
  ///
  /// - **Content.** The copy contains one moment: everything that was committed when the call began, and nothing else.
  /// - **Other processes.** They can read and write during the copy. The log of the database grows until the copy is
  ///   complete, and a switch of the directory waits for it. Writes to a database in memory wait.
  /// - **Destination.** The copy is one file without a log, as readable as the original. It appears when it is complete
  ///   and on the disk, and replaces an older copy. If the destination is a symbolic link, the file to which it leads is
  ///   replaced. An incomplete copy is in a hidden folder beside it, whose name begins with `.partial-`.
  /// - **Several copies.** Threads and processes can copy to one destination at once. Each copy is complete when its
  ///   call returns, and the last one remains. The folder of a killed process is removed by the next copy beside it.
  ///
  /// - Parameters:
  ///   - destination: The file of the copy. A database that is or was in use there, with its log files, is refused.
  ///   - progress: A closure that is called after each part of the copy, on this thread. If it throws, there is no copy.
  /// - Throws: The error of `progress`, or ``DatabaseError``.
  public func backup(
    to destination: URL, progress: (DatabaseBackupProgress) throws -> Void = { _ in }
  ) throws {
    try refuseNesting("backup")
    let path = canonicalPath(ofFile: destination.path) ?? destination.path
    func check() throws(DatabaseError) {
      if let reason = try reasonToRefuse(path) {
        throw .backupFailed(path: location.path, destination: destination.path, reason: reason)
      }
    }
    try check()
    do {
      try read { transaction throws in
        let connection = try transaction.connection
        // The transaction begins with its first read, and keeps commits of others from the copy.
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        // A database may have been opened there during the copy.
        try DatabaseCopy(destination: path).make(
          from: connection, patience: file.busyTimeout, beforeReplacing: check, progress)
      }
    } catch let error as DurableFileError {
      throw DatabaseError.backupFailed(path: location.path, destination: destination.path, reason: "\(error)")
    }
  }

  /// Copies the database into another file, without blocking the threads that tasks run on.
  ///
  /// The copy is made as by the blocking form. If the task is cancelled, the call ends after the current part, and there
  /// is no copy.
  ///
  /// - Parameters:
  ///   - destination: The file of the copy.
  ///   - progress: A closure that is called after each part of the copy, on a thread of the database.
  /// - Throws: ``DatabaseError``, or `CancellationError` if the task was cancelled.
  public func backup(
    to destination: URL, progress: @escaping @Sendable (DatabaseBackupProgress) -> Void = { _ in }
  ) async throws {
    let isCancelled = Guarded(false)
    try await withTaskCancellationHandler {
      try await asyncReads.run { [self] in
        try backup(to: destination) { state throws in
          if isCancelled.withLock({ $0 }) { throw CancellationError() }
          progress(state)
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Returns the reason why a destination cannot be replaced: it is the database itself, or no single file.
  private func reasonToRefuse(_ path: String) throws(DatabaseError) -> String? {
    if let source = file.location.url, let status = try DatabaseError.status(path),
      status.identity == (try DatabaseError.status(source.path))?.identity
    {
      return "it is the database itself"
    }
    if let status = try DatabaseError.status(path), status.kind != .regular { return "it is \(status.kind.rawValue)" }
    // Such a log belongs to another database, and would be applied to the copy.
    for suffix in ["-wal", "-shm", "-journal"] where try DatabaseError.status(path + suffix) != nil {
      return "a database is or was in use there, because \(path + suffix) exists"
    }
    return nil
  }
}

/// The progress of a backup.
public struct DatabaseBackupProgress: Hashable, Sendable {
  /// The number of pages that have been copied.
  public let completedPageCount: Int

  /// The number of pages of the database.
  public let totalPageCount: Int

  /// The number of pages that have not been copied yet.
  public var remainingPageCount: Int { totalPageCount - completedPageCount }

  /// A Boolean value that indicates whether all pages have been copied.
  public var isCompleted: Bool { remainingPageCount == 0 }
}
