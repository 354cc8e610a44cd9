import CSQLite
import FileSignals
import Foundation

/// The destructor that makes SQLite copy a string or blob at once.
// Sound: this is SQLite's own constant, which is a marker and not a function.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A prepared statement of one connection, for the thread that has the connection.
///
/// Bind all parameters, numbered from 1. Step until there are no more rows, reading columns, numbered from 0. Then
/// reset. A statement that failed or was not finished must be reset too, which ``run()`` does.
final class SQLiteStatement {
  let sql: String
  // Sound: a connection finalizes its statements before it is released.
  unowned(unsafe) let connection: SQLiteConnection
  @exclusivity(unchecked) private(set) var handle: OpaquePointer?
  /// The effects of the statement beyond reading and writing rows, and the tables that it reads.
  private(set) var traits: StatementTraits {
    didSet { isPlain = traits.isPlain }
  }
  /// A Boolean value that indicates whether the statement needs no work before or after it.
  @exclusivity(unchecked) private var isPlain: Bool
  /// The number of preparations by SQLite itself that the traits include.
  private var traitPreparations: Int32 = 0
  /// A Boolean value that indicates whether a tracked read records the keys that the statement reads, not its tables.
  @exclusivity(unchecked) var isRegionKnown = false
  /// A Boolean value that indicates whether the statement has been stepped and not reset.
  @exclusivity(unchecked) private(set) var isRunning = false
  /// The text by which the statement is cached.
  @exclusivity(unchecked) var key = ExactString("")
  /// A Boolean value that indicates whether the statement has been taken from the cache and not returned.
  @exclusivity(unchecked) var isTaken = false
  let parameterCount: Int
  /// A Boolean value that indicates whether the statement changes no database.
  let isReadOnly: Bool
  /// A Boolean value that indicates whether a text or blob is bound to a parameter.
  @exclusivity(unchecked) private var holdsBytes = false
  /// The error of a parameter that could not be bound.
  @exclusivity(unchecked) private var bindingCode = SQLITE_OK
  private var knownLayout: (layout: RowLayout, preparations: Int32)?

  init(sql: String, handle: OpaquePointer, connection: SQLiteConnection, traits: StatementTraits) {
    self.sql = sql
    self.handle = handle
    self.connection = connection
    self.traits = traits
    isPlain = traits.isPlain
    parameterCount = Int(sqlite3_bind_parameter_count(handle))
    isReadOnly = sqlite3_stmt_readonly(handle) != 0
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Releases SQLite's statement.
  ///
  /// The connection calls this before it closes.
  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  // MARK: Running

  /// Runs the statement to its next row.
  ///
  /// - Returns: `true` if there is a row.
  @inline(__always)
  func step() throws(DatabaseError) -> Bool {
    if isRunning { return try finishStep(sqlite3_step(handle)) }
    isRunning = true
    if bindingCode != SQLITE_OK { throw failed(bindingCode) }
    if !isPlain { try connection.willRun(self) }
    if !isReadOnly { connection.changes?.beginStatement() }
    guard connection.tracking != nil else { return try finishStep(sqlite3_step(handle)) }
    try connection.checkCancellation(before: self)
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW || code == SQLITE_DONE { try connection.track(self) }
    return try finishStep(code)
  }

  @inline(__always)
  private func finishStep(_ code: CInt) throws(DatabaseError) -> Bool {
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      if !isPlain { try connection.didRun(self) }
      return false
    }
    throw failed(code)
  }

  /// Runs the statement to its end, ignoring its rows, and resets it.
  @inline(__always)
  func run() throws(DatabaseError) {
    defer { reset() }
    while try step() {}
  }

  /// Runs the statement to its end and returns its rows.
  func rows() throws(DatabaseError) -> [Row] {
    guard try step() else { return [] }
    // Only the first step can prepare the statement again.
    let layout = layout
    var rows = [Row(layout: layout, cells: RowCells.copy(of: self, count: layout.names.count))]
    while try step() { rows.append(Row(layout: layout, cells: RowCells.copy(of: self, count: layout.names.count))) }
    return rows
  }

  /// The row of the last step.
  var row: Row {
    let layout = layout
    return Row(layout: layout, cells: RowCells.copy(of: self, count: layout.names.count))
  }

  /// The common layout of all rows.
  ///
  /// SQLite may prepare the statement again when tables have changed.
  var layout: RowLayout {
    let preparations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    if let knownLayout, knownLayout.preparations == preparations { return knownLayout.layout }
    let names = (0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) }
    let layout = RowLayout(names: names)
    knownLayout = (layout, preparations)
    return layout
  }

  @inline(never)
  private func failed(_ code: Int32) -> DatabaseError {
    let failure = SQLiteFailure(code, handle: connection.handle, path: connection.path, statement: sql)
    bindingCode = SQLITE_OK
    connection.didFail(self)
    return DatabaseError(failure)
  }

  /// Makes the statement ready to run again; parameters keep their values.
  @inline(__always)
  func reset() {
    isRunning = false
    sqlite3_reset(handle)
  }

  /// Sets all parameters to NULL.
  @inline(__always)
  func clearBindings() {
    holdsBytes = false
    sqlite3_clear_bindings(handle)
  }

  /// Releases the texts and blobs that are bound to parameters.
  @inline(__always)
  func releaseBindings() {
    if holdsBytes { clearBindings() }
  }

  /// Updates the traits if SQLite has prepared the statement again, because another connection has changed tables.
  ///
  /// - Returns: `true` if it has.
  func updateTraits() throws(DatabaseError) -> Bool {
    let preparations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard preparations != traitPreparations else { return false }
    let fresh = try connection.prepare(sql)
    defer { fresh.finalize() }
    (traits, traitPreparations) = (fresh.traits, preparations)
    return true
  }

  // MARK: Parameters

  @inline(__always)
  func bindNull(at index: Int32) { check(sqlite3_bind_null(handle, index)) }

  @inline(__always)
  func bind(_ value: Int64, at index: Int32) { check(sqlite3_bind_int64(handle, index, value)) }

  @inline(__always)
  func bind(_ value: Double, at index: Int32) { check(sqlite3_bind_double(handle, index, value)) }

  @inline(__always)
  func bind(_ value: String, at index: Int32) {
    holdsBytes = true
    var value = value
    let code = value.withUTF8 { bytes in
      // Sound: SQLite copies the bytes before it returns. An address is needed because an empty string is not NULL.
      bytes.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_bind_text64(
          handle, index, characters.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(characters.count), transient,
          UInt8(SQLITE_UTF8)
        )
      }
    }
    check(code)
  }

  @inline(__always)
  func bind(_ value: Data, at index: Int32) {
    value.withUnsafeBytes { bind($0, at: index) }
  }

  /// Binds bytes, which are copied.
  @inline(__always)
  func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
    holdsBytes = true
    // Sound: SQLite copies the bytes before it returns.
    check(
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), transient)
    )
  }

  func bind(_ value: SQLiteValue, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .integer(let value): bind(value, at: index)
    case .real(let value): bind(value, at: index)
    case .text(let value): bind(value, at: index)
    case .blob(let value): bind(value, at: index)
    }
  }

  /// Binds all parameters.
  func bind(_ arguments: [SQLiteValue]) throws(DatabaseError) {
    guard arguments.count == parameterCount else {
      throw .wrongArgumentCount(
        statement: sql, path: connection.path, expected: parameterCount, given: arguments.count)
    }
    for place in arguments.indices {
      // An integer is the most common argument, and needs no copy of the value.
      if case .integer(let number) = arguments[place] {
        bind(number, at: Int32(truncatingIfNeeded: place + 1))
      } else {
        bind(arguments[place], at: Int32(truncatingIfNeeded: place + 1))
      }
    }
  }

  /// Records the failure to bind a parameter, because of its size or number.
  ///
  /// The next step throws it.
  @inline(__always)
  private func check(_ code: Int32) {
    if code != SQLITE_OK { bindingCode = code }
  }

  // MARK: Columns

  /// Returns the value of a column in the current row, which is valid until the next step.
  @inline(__always)
  func cell(at index: Int32) -> SQLiteCell { SQLiteCell(value: sqlite3_column_value(handle, index)) }

  @inline(__always)
  func int64(at index: Int32) -> Int64 { cell(at: index).int64 }

  func string(at index: Int32) -> String { cell(at: index).string }

  func value(at index: Int32) -> SQLiteValue { SQLiteValue(cell(at: index)) }
}
