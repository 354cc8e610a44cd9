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
  ///   complete, and a swap of the directory waits for it. Writes to a database in memory wait.
  /// - **Destination.** The copy is one file without a log, as readable as the original. It appears when it is complete
  ///   and on the disk, and replaces an older copy. An incomplete copy has the suffix `.partial`.
  ///
  /// - Parameters:
  ///   - destination: The file of the copy. A database that is or was in use there, with its log files, is refused.
  ///   - progress: A closure that is called after each part of the copy, on this thread. If it throws, there is no copy.
  /// - Throws: The error of `progress`, or ``DatabaseError``.
  public func backup(
    to destination: URL, progress: (DatabaseBackupProgress) throws -> Void = { _ in }
  ) throws {
    try refuseNesting("backup")
    try checkDestination(destination)
    do {
      try read { transaction throws in
        let connection = try transaction.connection
        // The transaction begins with its first read, and keeps commits of others from the copy.
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        try DatabaseCopy(destination: destination.path).make(
          from: connection, patience: file.busyTimeout, progress)
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

  /// Refuses a destination that is the database itself, or that is no single file.
  private func checkDestination(_ destination: URL) throws(DatabaseError) {
    let path = destination.path
    func refusal(_ reason: String) -> DatabaseError {
      .backupFailed(path: location.path, destination: path, reason: reason)
    }
    if case .file(let source) = location, let status = try DatabaseError.status(path),
      status.identity == (try DatabaseError.status(source.path))?.identity
    {
      throw refusal("it is the database itself")
    }
    if let status = try DatabaseError.status(path), status.kind != .regular { throw refusal("it is \(status.kind.rawValue)") }
    // Such a log belongs to another database, and would be applied to the copy.
    for suffix in ["-wal", "-shm", "-journal"] where try DatabaseError.status(path + suffix) != nil {
      throw refusal("a database is or was in use there, because \(path + suffix) exists")
    }
  }
}
