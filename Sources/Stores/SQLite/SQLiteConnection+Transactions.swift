#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// The statements that begin and end transactions, prepared once for each connection.
struct TransactionStatements {
  var begin: SQLiteStatement?
  var commit: SQLiteStatement?
  var rollback: SQLiteStatement?

  mutating func finalize() {
    for statement in [begin, commit, rollback] { statement?.finalize() }
    self = TransactionStatements()
  }
}

extension SQLiteConnection {
  /// Whether a transaction is open.
  @inline(__always)
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Begins a transaction: one that may write at once waits for its turn, one that reads never does.
  @inline(__always)
  func begin() throws(DatabaseError) {
    try run(\.begin, access == .writing ? "BEGIN IMMEDIATE" : "BEGIN")
    expectsTransaction = true
  }

  /// Ends the transaction; if that fails, it is still open unless SQLite has rolled it back.
  @inline(__always)
  func commit() throws(DatabaseError) {
    expectsTransaction = false
    try run(\.commit, "COMMIT")
  }

  /// Undoes the transaction, unless SQLite has done so.
  func rollBack() {
    expectsTransaction = false
    guard isInTransaction else { return }
    // A rollback that fails leaves nothing to be done: closing the connection, or the next opening, undoes the rest.
    do { try run(\.rollback, "ROLLBACK") } catch {}
  }

  @inline(__always)
  private func run(
    _ place: WritableKeyPath<TransactionStatements, SQLiteStatement?>, _ sql: String
  ) throws(DatabaseError) {
    // Also while it runs: SQLite prepares it anew if tables have changed.
    isPrivileged = true
    defer { isPrivileged = false }
    let known = transactions[keyPath: place]
    let statement = if let known { known } else { try prepareTransaction(place, sql) }
    // A statement that has expired, as after some pragmas, is prepared anew by its step.
    isPrivileged = true
    defer {
      isPrivileged = false
      statement.reset()
    }
    _ = try statement.step()
  }

  @inline(never)
  private func prepareTransaction(
    _ place: WritableKeyPath<TransactionStatements, SQLiteStatement?>, _ sql: String
  ) throws(DatabaseError) -> SQLiteStatement {
    let statement = try prepare(sql)
    transactions[keyPath: place] = statement
    return statement
  }
}
