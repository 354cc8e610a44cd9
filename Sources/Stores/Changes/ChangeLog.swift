import CLibrary
import CSQLite
import Foundation

/// The changes that the current transaction of a connection has made so far.
///
/// SQLite's update hook reports rows by `rowid`, at almost no cost, but it omits some changes. Two other means detect
/// those. The authorizer (see ``SQLiteConnection/installAuthorizer()``) makes SQLite remove rows one by one where it
/// would drop them all at once. Temporary triggers, which are not stored in the file, trace some tables: those whose
/// keys are not the `rowid` or may change, and those in which rows are replaced.
final class ChangeLog {
  // Sound: the connection owns this object, and closes its SQLite handle before it is released.
  unowned(unsafe) let connection: SQLiteConnection
  /// The known properties of the tables.
  var tables = TableCatalog()
  @exclusivity(unchecked) private(set) var entries: ContiguousArray<RowChange> = []
  @exclusivity(unchecked) private var statementMark = 0
  private var savepoints: [(name: String, mark: Int)] = []
  /// A Boolean value that indicates whether the tables must be read again before the next statement.
  var needsRefresh = true
  /// A Boolean value that indicates whether a rollback invalidates the known properties of the tables.
  var isTentative = false
  /// A Boolean value that indicates whether the transaction has checked the file for changes by others.
  var hasBegun = false
  /// A Boolean value that indicates whether the transaction has changed the set of tables or their definitions.
  var hasChangedSchema = false
  /// The state of the file when this connection last checked it.
  var fileVersion: UInt32 = 0
  var schemaVersion: SQLiteValue = .null
  /// The version that the file must have, or `nil` if it is unknown.
  var expectedVersion: Int?

  /// The table of the last change, cached because changes of one table usually follow each other.
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

  // MARK: Receiving changes

  /// Receives a changed row from SQLite's update hook.
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

  /// Receives a changed row from a trigger, with the table's number, the old key and the new key.
  private func hearTrigger(_ values: UnsafeMutablePointer<OpaquePointer?>, _ count: CInt) {
    let table = Int32(sqlite3_value_int(values[0]))
    let operation = sqlite3_value_int(values[1])
    let key = SQLiteValue(SQLiteCell(value: values[2]))
    switch operation {
    case 0: entries.append(RowChange(table: table, operation: .insert, key: key))
    case 1: entries.append(RowChange(table: table, operation: .delete, key: key))
    default:
      let new = SQLiteValue(SQLiteCell(value: values[3]))
      if key == new {
        entries.append(RowChange(table: table, operation: .update, key: key))
      } else {
        entries.append(RowChange(table: table, operation: .delete, key: key))
        entries.append(RowChange(table: table, operation: .insert, key: new))
      }
    }
  }

  /// Records that any row of a table may have changed.
  func noteEverything(_ table: Int32) {
    if let last = entries.last, last.table == table, last.operation == .everything { return }
    entries.append(RowChange(table: table, operation: .everything, key: .null))
  }

  // MARK: Rolling back

  /// Marks the beginning of a statement, so that its changes can be discarded if it fails.
  @inline(__always)
  func beginStatement() {
    statementMark = entries.count
  }

  /// Discards the changes of a statement that has failed.
  ///
  /// - Parameter isHalfway: A Boolean value that indicates whether some of its changes may have stayed in the file.
  func undoStatement(isHalfway: Bool) {
    guard entries.count > statementMark else { return }
    let touched = Set(entries[statementMark...].map(\.table))
    truncate(to: statementMark)
    if isHalfway { touched.forEach(noteEverything) }
  }

  /// Follows a savepoint statement, so that changes that are rolled back in the file are discarded here.
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
      // Tables that were created or traced since then no longer are.
      if isTentative { needsRefresh = true }
    }
  }

  private func truncate(to mark: Int) {
    if entries.count > mark { entries.removeSubrange(mark...) }
  }

  /// Discards all changes, because the transaction has ended.
  @inline(__always)
  func clear() {
    if !entries.isEmpty { entries.removeAll(keepingCapacity: entries.capacity <= 4096) }
    if !savepoints.isEmpty { savepoints = [] }
  }

  /// Clears the cached table of the last change, because tables have changed.
  func forgetLast() {
    free(lastName)
    lastName = nil
  }

  // MARK: Reporting

  /// Returns the changes of each table, without changes that were undone.
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

/// One change of a row.
struct RowChange {
  enum Operation: UInt8 {
    case insert, update, delete
    /// All rows may have changed, because it is unknown which ones did.
    case everything
  }

  /// The table's number in the ``ChangeLog``.
  let table: Int32
  let operation: Operation
  let key: SQLiteValue
}
