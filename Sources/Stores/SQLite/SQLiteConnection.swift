import FileSignals
import Foundation
import Signals

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// One connection to a database, for one thread at a time.
///
/// It is not sendable: whoever has it, has it alone. ``Database`` gives it out for the length of a closure.
final class SQLiteConnection {
  /// What a connection may do.
  enum Access {
    case reading, writing
    /// It reads a file that nobody writes.
    case immutable
  }

  let path: String
  private(set) var handle: OpaquePointer?
  let access: Access
  /// What has been changed in the current transaction; `nil` for a connection that only reads.
  @exclusivity(unchecked) var changes: ChangeLog?
  /// Whether a transaction should be open.
  @exclusivity(unchecked) var expectsTransaction = false {
    didSet { hasLostTransaction = false }
  }
  /// What other parts of the module keep beside the connection, such as their own prepared statements.
  var attachments: [ObjectIdentifier: AnyObject] = [:]
  /// Whether SQLite has rolled the transaction back by itself, after a failure.
  private(set) var hasLostTransaction = false
  /// The statement that failed last.
  private(set) var lastFailed = ""
  private var cache: [ExactString: SQLiteStatement] = [:]
  @exclusivity(unchecked) private var lastStatement: SQLiteStatement?
  private static let cacheLimit = 200
  /// What the authorizer has heard about the statement that is being prepared.
  var preparation = Preparation()
  /// Whether what is being prepared may begin and end transactions.
  @exclusivity(unchecked) var isPrivileged = false
  /// The statements that begin and end transactions.
  var transactions = TransactionStatements()
  private let waiter: BusyWaiter

  /// Opens a connection; the file is made if it is to be written.
  ///
  /// - Parameters:
  ///   - path: The file, or `:memory:`.
  ///   - access: What the connection may do.
  ///   - busyTimeout: How long to wait for the locks of others.
  /// - Throws: ``DatabaseError`` if there is no file that could be opened; what is in it is not looked at yet.
  init(path: String, access: Access, busyTimeout: Duration) throws(DatabaseError) {
    self.path = path
    self.access = access
    var handle: OpaquePointer?
    let flags = access == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    let name = access == .immutable ? Self.immutableName(path) : path
    let code = sqlite3_open_v2(
      name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (access == .immutable ? SQLITE_OPEN_URI : 0),
      nil)
    guard code == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(code, handle: handle, path: path)
      sqlite3_close_v2(handle)
      throw DatabaseError(failure)
    }
    self.handle = handle
    // Before anything that touches the file: changing the journal needs a lock already.
    waiter = BusyWaiter(timeout: busyTimeout, path: path)
    waiter.install(on: handle)
    installAuthorizer()
    installDecimals()
    keepLog()
  }

  /// Whoever closes the file last leaves its log there: by then the file may have been moved, and the log at that path
  /// be that of another; and who may not write in the directory could not read without it.
  private func keepLog() {
    var isKept: CInt = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
  }

  /// How SQLite is told that nobody will write a file.
  private static func immutableName(_ path: String) -> String {
    "file:\(URL(filePath: path, directoryHint: .notDirectory).path(percentEncoded: true))?immutable=1"
  }

  deinit {
    close()
  }

  /// Closes the connection; its statements cannot be used any more.
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

  /// How many rows all statements have changed.
  var totalChanges: Int { Int(sqlite3_total_changes(handle)) }

  /// How many rows the last statement changed that changed any.
  var lastChanges: Int { Int(sqlite3_changes(handle)) }

  /// The `rowid` of the row that was inserted last.
  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Whether the main database can only be read.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  /// A Boolean value that indicates whether the file is no longer at the path by which it was opened.
  var hasLeftItsPath: Bool {
    var hasMoved: CInt = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }

  // MARK: Statements

  /// A statement, prepared now or before; give it back with ``giveBack(_:)`` when it has been reset.
  ///
  /// - Throws: ``DatabaseError`` if the text is not that of one statement.
  func statement(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    let key = ExactString(sql)
    // Most often the same statement as the last time, in the same string: comparing that is faster than hashing.
    if let lastStatement, !lastStatement.isTaken, lastStatement.key == key {
      lastStatement.isTaken = true
      return lastStatement
    }
    if let cached = cache[key], !cached.isTaken {
      cached.isTaken = true
      // This string may be the one that comes next, too, and is compared by its address then.
      cached.key = key
      lastStatement = cached
      return cached
    }
    let statement = try prepare(sql)
    statement.isTaken = true
    statement.key = key
    if cache[key] == nil {
      // A program has a few dozens of statements; one that makes them up as it goes must not fill the memory.
      if cache.count >= Self.cacheLimit { cache = cache.filter(\.value.isTaken) }
      cache[key] = statement
    }
    return statement
  }

  /// Takes back what ``statement(_:)`` gave.
  func giveBack(_ statement: SQLiteStatement) {
    statement.reset()
    if statement.parameterCount > 0 { statement.clearBindings() }
    statement.isTaken = false
  }

  /// Calls a closure with a statement, and resets it then.
  func withStatement<Result>(
    _ sql: String, _ body: (SQLiteStatement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let statement = try statement(sql)
    defer { giveBack(statement) }
    return try body(statement)
  }

  /// Prepares a statement that is kept by the caller, for as long as the connection is open at most.
  func prepare(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    var text = SQLText(sql)
    guard let statement = try text.next(on: self) else { throw invalid(sql, "there is no statement") }
    guard try text.next(on: self) == nil else {
      throw invalid(sql, "there is more than one statement; run them one by one, or with a script")
    }
    return statement
  }

  /// Runs a statement, whatever rows it gives.
  func run(_ sql: String, _ arguments: [SQLiteValue] = []) throws(DatabaseError) {
    try withStatement(sql) { statement throws(DatabaseError) in
      try statement.bind(arguments)
      try statement.run()
    }
  }

  /// Runs all the statements of a text, which have no parameters.
  func execute(_ sql: String) throws(DatabaseError) {
    var text = SQLText(sql)
    while let statement = try text.next(on: self) {
      // They would be NULL.
      guard statement.parameterCount == 0 else {
        throw .wrongArgumentCount(
          statement: statement.sql, path: path, expected: Int(statement.parameterCount), given: 0)
      }
      try statement.run()
    }
  }

  /// The one value that a statement gives, such as a `PRAGMA`.
  func value(_ sql: String, _ arguments: [SQLiteValue] = []) throws(DatabaseError) -> SQLiteValue {
    try withStatement(sql) { statement throws(DatabaseError) in
      try statement.bind(arguments)
      return try statement.step() ? statement.value(at: 0) : .null
    }
  }

  /// All rows that a statement gives.
  func rows(_ sql: String, _ arguments: [SQLiteValue] = []) throws(DatabaseError) -> [Row] {
    try withStatement(sql) { statement throws(DatabaseError) in
      try statement.bind(arguments)
      return try statement.rows()
    }
  }

  /// The first column of all rows, as text.
  func texts(_ sql: String) throws(DatabaseError) -> [String] {
    try withStatement(sql) { statement throws(DatabaseError) in
      var texts: [String] = []
      while try statement.step() { texts.append(statement.string(at: 0)) }
      return texts
    }
  }

  /// The names of all tables but SQLite's own.
  func tableNames() throws(DatabaseError) -> [String] {
    try texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
  }

  /// Lets go of all statements that nobody uses, because tables have changed and what was known of them may be wrong.
  func forgetStatements() {
    attachments = [:]
    lastStatement = nil
    cache = cache.filter(\.value.isTaken)
  }

  private func invalid(_ sql: String, _ message: String) -> DatabaseError {
    .invalidStatement(SQLiteFailure(extendedCode: SQLITE_ERROR, message: message, path: path, statement: sql))
  }

  // MARK: Around statements that are not plain

  /// Prepares for a statement that does more than read and write rows.
  func willRun(_ statement: SQLiteStatement) throws(DatabaseError) {
    try changes?.prepare(for: statement.traits)
  }

  /// Takes note of what a statement did beyond reading and writing rows.
  func didRun(_ statement: SQLiteStatement) throws(DatabaseError) {
    guard let changes else { return }
    if let savepoint = statement.traits.savepoint { changes.follow(savepoint) }
    if statement.traits.changesSchema { changes.hasChangedSchema = true }
    if statement.traits.changesSchema || changes.needsRefresh { try changes.refresh() }
  }

  /// Takes note of a statement that failed.
  func didFail(_ statement: SQLiteStatement) {
    lastFailed = statement.sql
    if expectsTransaction, !isInTransaction { hasLostTransaction = true }
    if !statement.isReadOnly { changes?.undoStatement(isHalfway: statement.traits.keepsChangesOnFailure) }
  }
}
