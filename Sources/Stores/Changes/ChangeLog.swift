import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the transaction of a connection has changed so far.
///
/// SQLite's update hook tells of rows by their `rowid`, and costs next to nothing. What it hides is found by other
/// means: the authorizer (see ``SQLiteConnection/installAuthorizer()``) has rows removed one by one where SQLite would
/// drop them all at once, and tables whose keys are not the `rowid`, or may change, or in which rows are replaced, are
/// traced by temporary triggers, of which nothing is in the file.
final class ChangeLog {
  // Sound: the connection has this object, and closes SQLite's part before it goes.
  unowned(unsafe) let connection: SQLiteConnection
  /// What is known about the tables.
  var tables = TableCatalog()
  @exclusivity(unchecked) private(set) var entries: ContiguousArray<RowChange> = []
  @exclusivity(unchecked) private var statementMark = 0
  private var savepoints: [(name: String, mark: Int)] = []
  /// Whether the tables must be looked at again before the next statement.
  var needsRefresh = true
  /// Whether what is known about the tables goes if the transaction is rolled back.
  var isTentative = false
  /// Whether the transaction has got past the look at what others may have done to the file.
  var hasBegun = false
  /// Whether the transaction has changed which tables there are, or what they are like.
  var hasChangedSchema = false
  /// The state of the file after this connection's last look at it.
  var fileVersion: UInt32 = 0
  var schemaVersion: SQLiteValue = .null
  /// The version that the file must have; `nil` if that is not known.
  var expectedVersion: Int?

  /// The table of the last change: changes come in crowds.
  @exclusivity(unchecked) private var lastName: UnsafeMutablePointer<CChar>?
  @exclusivity(unchecked) private var lastTable: Int32 = 0
  @exclusivity(unchecked) private var lastHook = TableCatalog.Hook.keys

  init(connection: SQLiteConnection) {
    self.connection = connection
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_update_hook(
      connection.handle,
      { context, operation, database, table, rowid in
        guard let context, let database, let table else { return }
        Unmanaged<ChangeLog>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.hear(operation, database, table, rowid)
        }
      },
      context
    )
    sqlite3_create_function_v2(
      connection.handle, TableCatalog.function, -1, SQLITE_UTF8, context,
      { call, count, values in
        guard let context = sqlite3_user_data(call), let values else { return }
        Unmanaged<ChangeLog>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.hearTrigger(values, count) }
      },
      nil, nil, nil
    )
  }

  deinit {
    free(lastName)
  }

  // MARK: Hearing

  /// A row was changed, says SQLite's hook.
  private func hear(
    _ operation: CInt, _ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ rowid: Int64
  ) {
    guard strcmp(database, "main") == 0 else { return }
    if let lastName, strcmp(lastName, table) == 0 {} else { lookUp(table) }
    switch lastHook {
    case .keys:
      let operation: RowChange.Operation =
        operation == SQLITE_INSERT ? .insert : operation == SQLITE_DELETE ? .delete : .update
      entries.append(RowChange(table: lastTable, operation: operation, key: .integer(rowid)))
    case .everything:
      noteEverything(lastTable)
    case .silent: break
    }
  }

  @inline(never)
  private func lookUp(_ name: UnsafePointer<CChar>) {
    free(lastName)
    lastName = strdup(name)
    (lastTable, lastHook) = tables.hook(of: String(cString: name))
  }

  /// A row was changed, says a trigger: by the table's number, the old key and the new one.
  private func hearTrigger(_ values: UnsafeMutablePointer<OpaquePointer?>, _ count: CInt) {
    let table = Int32(sqlite3_value_int(values[0]))
    let operation = sqlite3_value_int(values[1])
    let key = Self.key(values[2])
    switch operation {
    case 0: entries.append(RowChange(table: table, operation: .insert, key: key))
    case 1: entries.append(RowChange(table: table, operation: .delete, key: key))
    default:
      let new = Self.key(values[3])
      if key == new {
        entries.append(RowChange(table: table, operation: .update, key: key))
      } else {
        entries.append(RowChange(table: table, operation: .delete, key: key))
        entries.append(RowChange(table: table, operation: .insert, key: new))
      }
    }
  }

  private static func key(_ value: OpaquePointer?) -> SQLiteValue {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_NULL: return .null
    case SQLITE_BLOB:
      let count = Int(sqlite3_value_bytes(value))
      // Sound: the bytes are there until the function returns, and copied here.
      return .blob(sqlite3_value_blob(value).map { .init(bytes: $0, count: count) } ?? .init())
    default:
      guard let text = sqlite3_value_text(value) else { return .null }
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
      return .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Notes that any row of a table may have changed.
  func noteEverything(_ table: Int32) {
    if let last = entries.last, last.table == table, last.operation == .everything { return }
    entries.append(RowChange(table: table, operation: .everything, key: .null))
  }

  // MARK: Undoing

  /// Remembers where a statement began, so that what it did can be forgotten if it fails.
  @inline(__always)
  func beginStatement() {
    statementMark = entries.count
  }

  /// Forgets what a statement did that has failed.
  ///
  /// - Parameter isHalfway: Whether some of it may have stayed.
  func undoStatement(isHalfway: Bool) {
    guard entries.count > statementMark else { return }
    let touched = Set(entries[statementMark...].map(\.table))
    truncate(to: statementMark)
    if isHalfway { touched.forEach(noteEverything) }
  }

  /// Follows the savepoints, so that what is undone in the file is undone here.
  func follow(_ savepoint: StatementTraits.Savepoint) {
    switch savepoint {
    case .begin(let name):
      savepoints.append((name, entries.count))
    case .release(let name):
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return }
      savepoints.removeSubrange(index...)
    case .rollBack(let name):
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return }
      truncate(to: savepoints[index].mark)
      savepoints.removeSubrange((index + 1)...)
      // Tables that were made or traced since then are not any more.
      if isTentative { needsRefresh = true }
    }
  }

  private func truncate(to mark: Int) {
    if entries.count > mark { entries.removeSubrange(mark...) }
  }

  /// Forgets everything, because the transaction is over.
  @inline(__always)
  func clear() {
    if !entries.isEmpty { entries.removeAll(keepingCapacity: entries.capacity <= 4096) }
    if !savepoints.isEmpty { savepoints = [] }
  }

  /// Forgets what is known of the last change's table, because tables have changed.
  func forgetLast() {
    free(lastName)
    lastName = nil
  }

  // MARK: Telling

  /// What has changed in each table, and nothing of what was undone.
  func changes() -> [String: TableChanges] {
    if entries.count == 1, let only = entries.first {
      var changes = TableChanges()
      changes.note(only.operation, only.key)
      return [tables.name(only.table): changes]
    }
    var result: [String: TableChanges] = [:]
    var index = entries.startIndex
    while index < entries.endIndex {
      let table = entries[index].table
      var changes = result.removeValue(forKey: tables.name(table)) ?? TableChanges()
      while index < entries.endIndex, entries[index].table == table {
        changes.note(entries[index].operation, entries[index].key)
        index += 1
      }
      result[tables.name(table)] = changes
    }
    return result.filter { !$0.value.isEmpty }
  }
}
