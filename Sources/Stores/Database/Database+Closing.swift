import FileSignals
import Signals

extension Database {
  /// Closes the file permanently, after all running transactions.
  ///
  /// Later calls throw ``DatabaseError/closed(path:)``, and live queries report it in their status and failures. When
  /// this returns, this object has closed the file and its log, so they may be moved or removed.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction of the same thread, or while that
  ///   thread switches to another file.
  public func close() throws(DatabaseError) {
    try refuseWaiting("close")
    let reason = DatabaseError.closed(path: location.path)
    pauses.withTurn { shutDown(reason) }
    delivery.finish()
    mutableStatus.value = .closed(reason)
    regions.tellAll()
    sharing.close()
  }

  /// Closes the file; later calls throw the reason.
  func shutDown(_ reason: DatabaseError) {
    foreignWrites?.end()
    siblings?.leave(ObjectIdentifier(self))
    readers?.close(reason)
    writer.close(reason)
  }

  /// Changes the database, and overwrites the content that the change deletes or replaces.
  ///
  /// When this returns, neither the file nor its write-ahead log contains that content.
  ///
  /// It takes longer than `write`. If another connection still reads the old content, it stays in the log until the
  /// next change or the last close.
  ///
  /// - Parameter body: Reads and writes, on this thread.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``DatabaseError``; then nothing has changed.
  @discardableResult
  package func writeErasing<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let result = try write { transaction in
      // The setting belongs to the connection, which may be a new one each time.
      try transaction.execute("PRAGMA secure_delete = ON")
      return try body(transaction)
    }
    emptyLog()
    return result
  }

  /// Copies the write-ahead log into the file, and empties it, unless another connection needs it.
  package func emptyLog() {
    // The change is committed. A log that cannot be emptied now is emptied with the next change.
    tolerating { _ = try writer.emptyLog() }
  }
}
