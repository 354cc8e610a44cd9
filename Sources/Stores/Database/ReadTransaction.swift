/// A view of a database during a closure, in which concurrent changes are not visible.
///
/// It is the argument of a read's or write's closure, and is invalid after the closure returns.
public class ReadTransaction {
  let path: String
  private var current: SQLiteConnection?

  init(connection: SQLiteConnection) {
    path = connection.path
    current = connection
  }

  /// Invalidates the transaction, because it has ended.
  func end() {
    current = nil
  }

  /// A Boolean value that indicates whether statements may write.
  var mayWrite: Bool { false }

  /// The connection, while the transaction lasts.
  var connection: SQLiteConnection {
    get throws(DatabaseError) {
      guard let current else { throw .transactionIsOver(path: path) }
      if current.hasLostTransaction { throw .transactionLost(path: path, statement: current.lastFailed) }
      return current
    }
  }

  /// Runs a statement and returns its rows.
  ///
  /// ```swift
  /// import Stores
  ///
  /// let database = try Database(.memory)
  /// try database.write { transaction in
  ///   try transaction.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
  ///   try transaction.execute("INSERT INTO person (name) VALUES (?)", "Ada")
  /// }
  /// let names = try database.read { try $0.rows("SELECT name FROM person WHERE id < ?", 10) }
  /// print(names[0]["name"])  // Prints "'Ada'"
  /// ```
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument. Never insert values into the text.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The rows, in the order in which the statement returns them.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, or if it would write in a read.
  public func rows(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) -> [Row] {
    try rows(sql, arguments: arguments.map { $0?.sqliteValue ?? .null })
  }

  /// Runs a statement and returns its rows.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The rows, in the order in which the statement returns them.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, or if it would write in a read.
  public func rows(_ sql: String, arguments: [SQLiteValue]) throws(DatabaseError) -> [Row] {
    try connection.rows(sql, arguments, mayWrite: mayWrite)
  }

  /// Runs a statement and returns its first row.
  ///
  /// The statement ends there, so this takes less time than ``rows(_:_:)``.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The row, or `nil` if there is none.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, or if it would write in a read.
  public func row(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) -> Row? {
    try row(sql, arguments: arguments.map { $0?.sqliteValue ?? .null })
  }

  /// Runs a statement and returns its first row.
  ///
  /// The statement ends there, so this takes less time than ``rows(_:arguments:)``.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The row, or `nil` if there is none.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, or if it would write in a read.
  public func row(_ sql: String, arguments: [SQLiteValue]) throws(DatabaseError) -> Row? {
    try withStatement(sql, arguments) { statement throws(DatabaseError) in try statement.step() ? statement.row : nil }
  }

  /// Runs a statement and returns the first value of its first row.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The value; NULL if there is no row.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, or if it would write in a read.
  public func value(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) -> SQLiteValue {
    try value(sql, arguments: arguments.map { $0?.sqliteValue ?? .null })
  }

  /// Runs a statement and returns the first value of its first row.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The value; NULL if there is no row.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, or if it would write in a read.
  public func value(_ sql: String, arguments: [SQLiteValue]) throws(DatabaseError) -> SQLiteValue {
    try connection.value(sql, arguments, mayWrite: mayWrite)
  }

  /// Calls a closure with a statement that this transaction may run, and then resets the statement.
  func withStatement<Result>(
    _ sql: String, _ arguments: [SQLiteValue], _ body: (SQLiteStatement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try connection.withStatement(sql, arguments, mayWrite: mayWrite, body)
  }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}
