import FileSignals

/// The writing connection of a database, outside of a transaction.
///
/// It is the argument of the closure of `Database.withoutTransaction`, and is invalid after the closure
/// returns. It runs statements that are impossible in a transaction, such as `VACUUM` and some `PRAGMA`s, and reads.
public final class DatabaseConnection {
  private let path: String
  private var current: SQLiteConnection?

  init(_ connection: SQLiteConnection) {
    path = connection.path
    current = connection
  }

  /// Invalidates the object, because its closure has returned.
  func end() {
    current = nil
  }

  /// Runs a statement and returns its rows.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument: `VACUUM`, `PRAGMA`, `ANALYZE`, `REINDEX`, `ATTACH`, `DETACH`,
  ///     or one that only reads.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The rows; none for most statements.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails.
  ///   ``DatabaseError/changeOutsideTransaction(statement:path:)`` if it changes rows or tables.
  @discardableResult
  public func execute(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) -> [Row] {
    guard let connection = current else { throw .transactionIsOver(path: path) }
    let statement = try connection.prepare(sql)
    defer { statement.finalize() }
    if statement.traits.savepoint != nil { throw .transactionStatement(statement: statement.sql, path: path) }
    let first = SQLTokens(sql).tokens.first?.text ?? ""
    guard statement.isReadOnly || Self.permitted.contains(first) else {
      throw .changeOutsideTransaction(statement: statement.sql, path: path)
    }
    try statement.bind(arguments.map { $0?.sqliteValue ?? .null })
    // VACUUM runs its own transaction.
    connection.isPrivileged = first == "vacuum"
    defer { connection.isPrivileged = false }
    return try statement.rows()
  }

  private static let permitted: Set = ["vacuum", "pragma", "analyze", "reindex", "attach", "detach"]
}

@available(*, unavailable)
extension DatabaseConnection: Sendable {}

extension Database {
  /// Runs statements that are impossible in a transaction, such as `VACUUM`, while no other thread writes.
  ///
  /// ```swift
  /// import Stores
  ///
  /// let database = try Database(.memory)
  /// try database.withoutTransaction { connection in
  ///   try connection.execute("VACUUM")
  ///   let rows = try connection.execute("PRAGMA freelist_count")
  ///   print(rows[0][0])  // Prints "0"
  /// }
  /// ```
  ///
  /// A `PRAGMA` that sets something for a connection lasts until the database is closed or its file is switched, and does
  /// not affect reads outside of writes. Do not switch off the write-ahead log.
  ///
  /// - Parameter body: A closure that is called on this thread. Its argument is invalid after it has returned. A write
  ///   inside throws ``DatabaseError/nestedAccess(path:inner:outer:)``.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``DatabaseError``. Statements that have run are not undone.
  @discardableResult
  public func withoutTransaction<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result {
    try refuseNesting("withoutTransaction")
    defer { ends.run() }
    return try following { try writer.withoutTransaction(body) }
  }

  /// Runs statements that are impossible in a transaction, without blocking the threads that tasks run on.
  ///
  /// - Parameter body: A closure that is called on a thread of the database, and cannot suspend.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError` if the task was cancelled before `body`
  ///   began.
  @discardableResult
  public func withoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (DatabaseConnection) throws -> Result
  ) async throws -> Result {
    try await asyncWrites.run { [self] in try withoutTransaction(body) }
  }
}
