import CSQLite
import Signals

/// The record of one read: the part of the database on which its result depends.
final class ReadTracking {
  var region = ObservedRegion()
  let interruption: ReadInterruption

  init(_ interruption: ReadInterruption) {
    self.interruption = interruption
  }
}

extension Database {
  /// Reads, and records the tables and keys that the closure reads.
  func track<Result>(_ tracking: ReadTracking, _ body: (ReadTransaction) throws -> Result) throws -> Result {
    // A transaction that this thread has begun before may run other statements at the same time.
    let isInterruptible = !isInTransactionOfThisThread
    return try read { transaction in
      let connection = try transaction.connection
      let outer = connection.tracking
      connection.tracking = tracking
      defer { connection.tracking = outer }
      guard isInterruptible else { return try body(transaction) }
      tracking.interruption.begin(on: connection)
      defer { tracking.interruption.end() }
      return try body(transaction)
    }
  }
}

extension SQLiteConnection {
  /// Throws an error if the read in progress was cancelled.
  @inline(never)
  func checkCancellation(before statement: SQLiteStatement) throws(DatabaseError) {
    guard tracking?.interruption.isCancelled == true else { return }
    throw DatabaseError(SQLiteFailure(SQLITE_INTERRUPT, handle: nil, path: path, statement: statement.sql))
  }

  /// Records the tables that a statement reads, after its first step.
  ///
  /// Only then is it certain that it was compiled for the current tables.
  @inline(never)
  func track(_ statement: SQLiteStatement) throws(DatabaseError) {
    let hasNewTables = try untracked { () throws(DatabaseError) in try statement.updateTraits() }
    if hasNewTables { schemaAge += 1 }
    if !statement.isRegionKnown { tracking?.region.formUnion(statement.traits.region) }
  }

  /// Records that the result depends on the rows with some keys, instead of all tables that a statement reads.
  func track<Model: StoreModel>(
    _ keys: Set<SQLiteValue>, of model: Model.Type, instead statement: SQLiteStatement
  ) throws(DatabaseError) {
    guard let tracking else { return }
    let areKeysTold = try untracked { () throws(DatabaseError) in try ModelStatements<Model>.of(self).areKeysTold }
    areKeysTold
      ? tracking.region.insert(keys, of: Model.table.name)
      : tracking.region.formUnion(statement.traits.region)
  }

  /// Runs a closure whose statements are not recorded.
  private func untracked<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    let tracking = tracking
    self.tracking = nil
    defer { self.tracking = tracking }
    return try body()
  }
}

/// A switch that ends a read while it runs, on another thread.
final class ReadInterruption: Sendable {
  private struct State {
    var isCancelled = false
    /// The address of the connection, while the read uses it.
    var connection: UInt?
  }

  private let state = Guarded(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Records the connection that the read uses from now on.
  func begin(on connection: SQLiteConnection) {
    let address = UInt(bitPattern: connection.handle)
    state.withLock { $0.connection = address }
  }

  /// Records that the read no longer uses the connection, which may then serve other reads.
  func end() {
    state.withLock { $0.connection = nil }
  }

  /// Ends the statement that the read is running, and lets no other begin.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      // Sound: with the lock held, the read cannot end, so the connection is open and serves no other read.
      if let address = state.connection { sqlite3_interrupt(OpaquePointer(bitPattern: address)) }
    }
  }
}
