/// Writes something down in every transaction that changes a database, before it is committed.
protocol CommitRecorder: AnyObject, Sendable {
  /// Called in the transaction, which fails if this does.
  ///
  /// - Parameters:
  ///   - tables: What the transaction has changed, something at least.
  ///   - connection: The connection, inside the transaction.
  /// - Returns: The number by which the change is known to all processes; `nil` if it is not told to them.
  /// - Throws: ``DatabaseError``; the transaction is rolled back then.
  func record(_ tables: [String: TableChanges], on connection: SQLiteConnection) throws(DatabaseError) -> Int64?

  /// Whether it records no more, so that another may.
  var isOver: Bool { get }

  /// Called when the transaction has been committed, before anybody else can commit.
  func didCommit()

  /// Called when another file has come in the place of the one that was shared, before anybody can write it.
  ///
  /// - Returns: The number of the last change that is recorded in it.
  /// - Throws: ``DatabaseError`` if it cannot be shared.
  func fileDidChange(on connection: SQLiteConnection) throws(DatabaseError) -> Int64
}
