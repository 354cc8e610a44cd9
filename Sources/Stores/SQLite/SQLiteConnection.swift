import CSQLite
import FileSignals
import Foundation
import Signals

/// A connection to a database, for one thread at a time.
///
/// It is not sendable: only one thread can use it at a time. ``Database`` provides it for the duration of a closure.
final class SQLiteConnection {
  /// The access that a connection has.
  enum Access {
    case reading, writing
    /// Reading from a file that no one writes.
    case immutable
    /// Reading without ever writing into, or emptying, the index of the log.
    case observing
  }

  let path: String
  private(set) var handle: OpaquePointer?
  let access: Access
  /// The changes in the current transaction, or `nil` for a connection that only reads.
  @exclusivity(unchecked) var changes: ChangeLog?
  /// A Boolean value that indicates whether a transaction should be open.
  @exclusivity(unchecked) var expectsTransaction = false {
    didSet { hasLostTransaction = false }
  }
  /// The record of the tracked read in progress.
  @exclusivity(unchecked) var tracking: ReadTracking?
  /// A number that grows when a tracked read finds that another connection has changed tables.
  var schemaAge = 0
  /// Objects that other parts of the module attach to the connection, such as prepared statements.
  var attachments: [ObjectIdentifier: AnyObject] = [:]
  /// A Boolean value that indicates whether SQLite has rolled the transaction back by itself, after a failure.
  private(set) var hasLostTransaction = false
  /// The statement that failed last.
  private(set) var lastFailed = ""
  private var cache: [ExactString: SQLiteStatement] = [:]
  @exclusivity(unchecked) private var lastStatement: SQLiteStatement?
  private static let cacheLimit = 200
  /// The information from the authorizer about the statement that is being prepared.
  var preparation = Preparation()
  /// A Boolean value that indicates whether the statement being prepared may begin and end transactions.
  @exclusivity(unchecked) var isPrivileged = false
  /// The statements that begin and end transactions.
  var transactions = TransactionStatements()
  /// The installed functions and collations of the application.
  var extensions = ConnectionExtensions()
  private let waiter: BusyWaiter

  /// Opens a connection.
  ///
  /// For writing, the file is created if it is missing.
  ///
  /// - Parameters:
  ///   - path: The file, or `:memory:`.
  ///   - access: The access of the connection.
  ///   - busyTimeout: The maximum time to wait for the locks of others.
  /// - Throws: ``DatabaseError`` if the file cannot be opened. Its content is not checked yet.
  init(path: String, access: Access, busyTimeout: Duration) throws(DatabaseError) {
    self.path = path
    self.access = access
    var handle: OpaquePointer?
    let flags = access == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    let option: String? =
      switch access {
      case .reading, .writing: nil
      case .immutable: "immutable=1"
      case .observing: "readonly_shm=1"
      }
    let name = option.map { Self.name(of: path, with: $0) } ?? path
    let code = sqlite3_open_v2(
      name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (option == nil ? 0 : SQLITE_OPEN_URI), nil)
    guard code == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(code, handle: handle, path: path)
      sqlite3_close_v2(handle)
      throw DatabaseError(failure)
    }
    self.handle = handle
    // The waiter is installed before any access to the file, because even changing the journal mode needs a lock.
    waiter = BusyWaiter(timeout: busyTimeout, path: path)
    waiter.install(on: handle)
    installAuthorizer()
    installDecimals()
    keepLog()
  }

  /// Keeps the log when the last connection is closed.
  ///
  /// By then the file may have been moved, and the log at that path may belong to another file. A process that cannot
  /// write in the directory also needs the log for reading.
  private func keepLog() {
    var isKept: CInt = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
  }

  /// Returns the file name by which SQLite opens a file with an option.
  private static func name(of path: String, with option: String) -> String {
    "file:\(URL(filePath: path, directoryHint: .notDirectory).path(percentEncoded: true))?\(option)"
  }

  /// Makes every later statement fail at once if it would have to wait for another connection.
  func refuseWaiting() {
    sqlite3_busy_handler(handle, nil, nil)
  }

  deinit {
    close()
  }

  /// Closes the connection.
  ///
  /// Its statements cannot be used any more.
  func close() {
    guard let handle else { return }
    attachments = [:]
    transactions.finalize()
    for statement in cache.values { statement.finalize() }
    cache = [:]
    lastStatement = nil
    changes = nil
    sqlite3_close_v2(handle)
    self.handle = nil
  }

  // MARK: Facts

  /// The number of rows that all statements have changed.
  var totalChanges: Int64 { sqlite3_total_changes64(handle) }

  /// The number of rows that the last changing statement changed.
  var lastChanges: Int { Int(clamping: sqlite3_changes64(handle)) }

  /// The `rowid` of the row that was inserted last.
  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A Boolean value that indicates whether the main database is read-only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  /// A Boolean value that indicates whether the file is no longer at the path by which it was opened.
  var hasLeftItsPath: Bool {
    var hasMoved: CInt = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }

  // MARK: Statements

  /// Returns a prepared statement, which may be cached.
  ///
  /// Return it with ``giveBack(_:)`` after resetting it.
  ///
  /// - Throws: ``DatabaseError`` if the text is not exactly one statement.
  func statement(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    let key = ExactString(sql)
    // Usually the statement is the same as the last one, in the same string, and comparing that is faster than hashing.
    if let lastStatement, !lastStatement.isTaken, lastStatement.key == key {
      lastStatement.isTaken = true
      return lastStatement
    }
    if let cached = cache[key], !cached.isTaken {
      cached.isTaken = true
      // The next call may use the same string, which is then compared by its address.
      cached.key = key
      lastStatement = cached
      return cached
    }
    let statement = try prepare(sql)
    statement.isTaken = true
    statement.key = key
    if cache[key] == nil {
      // A program has a few dozen statements. Statements that are generated dynamically must not fill the memory.
      if cache.count >= Self.cacheLimit { cache = cache.filter(\.value.isTaken) }
      cache[key] = statement
    }
    return statement
  }

  /// Returns a statement from ``statement(_:)`` to the cache.
  func giveBack(_ statement: SQLiteStatement) {
    statement.reset()
    statement.releaseBindings()
    statement.isRegionKnown = false
    statement.isTaken = false
  }

  /// Calls a closure with a statement and its arguments, and resets it afterwards.
  func withStatement<Result>(
    _ sql: String, _ arguments: [SQLiteValue] = [], mayWrite: Bool = true,
    _ body: (SQLiteStatement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let statement = try statement(sql)
    defer { giveBack(statement) }
    guard mayWrite || statement.isReadOnly else { throw .writeInRead(statement: statement.sql, path: path) }
    try statement.bind(arguments)
    return try body(statement)
  }

  /// Prepares a statement that the caller keeps, at most until the connection is closed.
  func prepare(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    var text = SQLText(sql)
    guard let statement = try text.next(on: self) else { throw invalid(sql, "the text contains no statement") }
    guard try text.next(on: self) == nil else {
      throw invalid(sql, "the text contains more than one statement; run them one by one, or as a script")
    }
    return statement
  }

  /// Runs a statement and ignores its rows.
  func run(_ sql: String, _ arguments: [SQLiteValue] = []) throws(DatabaseError) {
    try withStatement(sql, arguments) { statement throws(DatabaseError) in
      while try statement.step() {}
    }
  }

  /// Runs a statement, and returns the number of rows that it has changed itself.
  func change(_ sql: String, _ arguments: [SQLiteValue]) throws(DatabaseError) -> Int {
    let before = totalChanges
    try run(sql, arguments)
    return totalChanges == before ? 0 : lastChanges
  }

  /// Runs all statements of a script, which must have no parameters.
  func execute(_ sql: String) throws(DatabaseError) {
    var text = SQLText(sql)
    while let statement = try text.next(on: self) {
      // The parameters would be NULL.
      guard statement.parameterCount == 0 else {
        throw .wrongArgumentCount(
          statement: statement.sql, path: path, expected: Int(statement.parameterCount), given: 0)
      }
      try statement.run()
    }
  }

  /// Returns the single value that a statement returns, such as a `PRAGMA`.
  func value(
    _ sql: String, _ arguments: [SQLiteValue] = [], mayWrite: Bool = true
  ) throws(DatabaseError) -> SQLiteValue {
    try withStatement(sql, arguments, mayWrite: mayWrite) { statement throws(DatabaseError) in
      try statement.step() ? statement.value(at: 0) : .null
    }
  }

  /// Returns all rows of a statement.
  func rows(_ sql: String, _ arguments: [SQLiteValue] = [], mayWrite: Bool = true) throws(DatabaseError) -> [Row] {
    try withStatement(sql, arguments, mayWrite: mayWrite) { statement throws(DatabaseError) in try statement.rows() }
  }

  /// Returns the first column of all rows, as text.
  func texts(_ sql: String) throws(DatabaseError) -> [String] {
    try withStatement(sql) { statement throws(DatabaseError) in
      var texts: [String] = []
      while try statement.step() { texts.append(statement.string(at: 0)) }
      return texts
    }
  }

  /// Returns the names of all tables except SQLite's own.
  func tableNames() throws(DatabaseError) -> [String] {
    try texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
  }

  /// Returns a Boolean value that indicates whether the main database has a table with a name, which is not a view.
  func isTable(_ name: String) -> Bool {
    sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  /// Returns the name of the collation of a column, or `nil` if there is no such column.
  func collation(of column: String, in table: String) -> String? {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(handle, "main", table, column, nil, &name, nil, nil, nil)
    return code == SQLITE_OK ? name.map { String(cString: $0).uppercased() } : nil
  }

  /// Releases all unused statements, because tables have changed and cached properties may be wrong.
  func forgetStatements() {
    attachments = [:]
    lastStatement = nil
    cache = cache.filter(\.value.isTaken)
  }

  private func invalid(_ sql: String, _ message: String) -> DatabaseError {
    .invalidStatement(SQLiteFailure(extendedCode: SQLITE_ERROR, message: message, path: path, statement: sql))
  }

  // MARK: Statements with other effects

  /// Prepares for a statement that does more than read and write rows.
  func willRun(_ statement: SQLiteStatement) throws(DatabaseError) {
    try changes?.prepare(for: statement.traits)
  }

  /// Records the effects of a statement beyond reading and writing rows.
  func didRun(_ statement: SQLiteStatement) throws(DatabaseError) {
    guard let changes else { return }
    if let savepoint = statement.traits.savepoint { changes.follow(savepoint) }
    if statement.traits.changesSchema { changes.hasChangedSchema = true }
    if statement.traits.changesSchema || changes.needsRefresh { try changes.refresh() }
  }

  /// Records the failure of a statement.
  func didFail(_ statement: SQLiteStatement) {
    lastFailed = statement.sql
    tracking?.region.insertEverything()
    if expectsTransaction, !isInTransaction { hasLostTransaction = true }
    if !statement.isReadOnly { changes?.undoStatement(isHalfway: statement.traits.keepsChangesOnFailure) }
  }
}
