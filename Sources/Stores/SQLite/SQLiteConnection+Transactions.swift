import CSQLite

/// The statements that begin and end transactions, prepared once for each connection.
struct TransactionStatements {
  var begin: SQLiteStatement?
  var commit: SQLiteStatement?
  var rollback: SQLiteStatement?
  var version: SQLiteStatement?

  mutating func finalize() {
    for statement in [begin, commit, rollback, version] { statement?.finalize() }
    self = TransactionStatements()
  }
}

extension SQLiteConnection {
  /// A Boolean value that indicates whether a transaction is open.
  @inline(__always)
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Begins a transaction.
  ///
  /// A writing connection waits for the write lock; a reading one never waits.
  @inline(__always)
  func begin() throws(DatabaseError) {
    if transactions.begin == nil {
      transactions.begin = try prepareTransaction(access == .writing ? "BEGIN IMMEDIATE" : "BEGIN")
    }
    try run(transactions.begin)
    expectsTransaction = true
  }

  /// Commits the transaction.
  ///
  /// If that fails, the transaction is still open, unless SQLite has rolled it back.
  @inline(__always)
  func commit() throws(DatabaseError) {
    if transactions.commit == nil { transactions.commit = try prepareTransaction("COMMIT") }
    expectsTransaction = false
    try run(transactions.commit)
  }

  /// Rolls the transaction back, unless SQLite already did.
  func rollBack() {
    expectsTransaction = false
    guard isInTransaction else { return }
    // If the rollback fails, closing the connection or the next opening rolls back.
    do {
      if transactions.rollback == nil { transactions.rollback = try prepareTransaction("ROLLBACK") }
      try run(transactions.rollback)
    } catch {}
  }

  /// Ends a transaction that has only read, which is cheaper than rolling it back.
  @inline(__always)
  func endReading() {
    do { try commit() } catch { rollBack() }
  }

  /// Throws an error if the file's version has changed since it was opened.
  ///
  /// Called inside a transaction, so that the version stays the same.
  func checkVersion(_ expected: Int) throws(DatabaseError) {
    if transactions.version == nil { transactions.version = try prepare("PRAGMA user_version") }
    guard let statement = transactions.version else { return }
    defer { statement.reset() }
    guard try statement.step(), case .integer(let found) = statement.value(at: 0), found != Int64(expected) else {
      return
    }
    throw .schema(.changedMeanwhile(found: Int(found), opened: expected), path: path)
  }

  @inline(__always)
  private func run(_ statement: SQLiteStatement?) throws(DatabaseError) {
    guard let statement else { return }
    // The flag stays set while the statement runs, because SQLite prepares it again if tables have changed.
    isPrivileged = true
    defer {
      isPrivileged = false
      statement.reset()
    }
    _ = try statement.step()
  }

  @inline(never)
  private func prepareTransaction(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    isPrivileged = true
    defer { isPrivileged = false }
    return try prepare(sql)
  }
}
