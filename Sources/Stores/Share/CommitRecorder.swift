/// A type that records every transaction that changes a database, before it is committed.
protocol CommitRecorder: AnyObject, Sendable {
  /// Records the changes.
  ///
  /// It is called inside the transaction, which fails if this method throws.
  ///
  /// - Parameters:
  ///   - tables: The changes of the transaction, which are not empty.
  ///   - connection: The connection, inside the transaction.
  /// - Returns: The number by which all processes know the change, or `nil` if the change is not shared.
  /// - Throws: ``DatabaseError``. The transaction is then rolled back.
  func record(_ tables: [String: TableChanges], on connection: SQLiteConnection) throws(DatabaseError) -> Int64?

  /// A Boolean value that indicates whether the recorder has ended, so that another one may be attached.
  var isOver: Bool { get }

  /// Called after the transaction has been committed, before any other transaction can commit.
  func didCommit()

  /// Called after the shared file has been replaced with another, before anyone can write to it.
  ///
  /// - Returns: The number of the last change recorded in the new file.
  /// - Throws: ``DatabaseError`` if the file cannot be shared.
  func fileDidChange(on connection: SQLiteConnection) throws(DatabaseError) -> Int64
}
