import CSQLite

/// The information that the authorizer receives while a statement is being prepared.
struct Preparation {
  /// A Boolean value that indicates whether the statement was rejected because it begins or ends a transaction.
  var isForbidden = false
  var traits = StatementTraits()
  var readTables: Set<String> = []
  /// A Boolean value that indicates whether the result depends on another database, or on SQLite's own tables.
  var readsElsewhere = false
  /// The tables that get new rows or new values.
  var writtenTables: Set<String> = []
  /// The changes that triggers make.
  var triggerChanges: Set<TriggerChange> = []

  /// Returns the traits of a statement, given its text.
  func traits(of sql: String, on connection: SQLiteConnection) -> StatementTraits {
    var traits = traits
    let read = readTables.filter(connection.isTable)
    if readsElsewhere || read.isEmpty { traits.region.insertEverything() }
    for table in read { traits.region.insert(table: table) }
    guard !writtenTables.isEmpty, let tables = connection.changes?.tables else { return traits }
    let words = sql.uppercased()
    traits.replacingTables =
      words.contains("REPLACE") || tables.triggersReplace
      ? writtenTables : writtenTables.filter { tables.table($0)?.table.replaces == true }
    traits.keepsChangesOnFailure = tables.mayFailHalfway || words.contains("FAIL")
    return traits
  }
}

/// The effects of a statement beyond reading and writing rows of ordinary tables, as SQLite reports them during
/// preparation.
struct StatementTraits: Equatable {
  /// The effect of a statement on a savepoint.
  enum Savepoint: Equatable {
    case begin(String)
    case release(String)
    case rollBack(String)
  }

  var savepoint: Savepoint?
  /// The part of the database on which the result depends.
  var region = ObservedRegion()
  /// A Boolean value that indicates whether tables, indexes, triggers or views are created, changed or removed.
  var changesSchema = false
  /// The tables that are dropped with all their rows.
  var droppedTables: Set<String> = []
  /// The tables in which rows may be replaced, which the update hook does not report.
  var replacingTables: Set<String> = []
  /// The tables in which a key column gets new values, which the update hook reports only in part.
  var rekeyedTables: Set<String> = []
  /// A Boolean value that indicates whether changes made before a failure are kept.
  var keepsChangesOnFailure = false

  /// A Boolean value that indicates whether the statement needs no work before or after it.
  var isPlain: Bool {
    savepoint == nil && !changesSchema && replacingTables.isEmpty && rekeyedTables.isEmpty && droppedTables.isEmpty
  }
}

extension SQLiteConnection {
  /// Installs the authorizer, through which SQLite reports the actions of each statement while it is prepared.
  func installAuthorizer() {
    // Sound: the connection is closed before this object is released, and calls nothing afterwards.
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, database, trigger in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        if let trigger { connection.noteTrigger(trigger, action, first) }
        return connection.authorize(action, first, second, database)
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  private func authorize(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?
  ) -> CInt {
    switch action {
    case SQLITE_SELECT, SQLITE_FUNCTION:
      return SQLITE_OK
    case SQLITE_READ:
      noteRead(first, database)
      return SQLITE_OK
    case SQLITE_TRANSACTION:
      preparation.isForbidden = !isPrivileged
      return isPrivileged ? SQLITE_OK : SQLITE_DENY
    case SQLITE_SAVEPOINT:
      preparation.traits.savepoint = savepoint(first, second)
      return SQLITE_OK
    case SQLITE_INSERT:
      if let table = userTable(first, database) { preparation.writtenTables.insert(table) }
      return SQLITE_OK
    case SQLITE_UPDATE:
      guard let table = userTable(first, database) else { return SQLITE_OK }
      preparation.writtenTables.insert(table)
      if let second, changes?.isKey(String(cString: second), of: table) == true {
        preparation.traits.rekeyedTables.insert(table)
      }
      return SQLITE_OK
    case SQLITE_DELETE:
      // SQLite would not report the removal of all rows at once; with this answer it removes them one by one. While a
      // table is being dropped, the same answer would keep the table.
      guard userTable(first, database) != nil, preparation.traits.droppedTables.isEmpty else { return SQLITE_OK }
      return changes == nil ? SQLITE_OK : SQLITE_IGNORE
    case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW:
      preparation.traits.changesSchema = true
      if let first { preparation.traits.droppedTables.insert(String(cString: first)) }
      return SQLITE_OK
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_TRIGGER,
      SQLITE_ALTER_TABLE:
      preparation.traits.changesSchema = true
      return SQLITE_OK
    default:
      return SQLITE_OK
    }
  }

  private func savepoint(
    _ operation: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?
  ) -> StatementTraits.Savepoint? {
    guard let operation, let name else { return nil }
    let savepoint = String(cString: name).lowercased()
    return switch String(cString: operation) {
    case "BEGIN": .begin(savepoint)
    case "RELEASE": .release(savepoint)
    default: .rollBack(savepoint)
    }
  }

  /// Records that the result of the statement depends on a table.
  ///
  /// For a read that needs no column, such as `SELECT count(*)`, SQLite reports no database. It then also reports the
  /// names of common table expressions, which ``Preparation/traits(of:on:)`` removes.
  private func noteRead(_ name: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?) {
    guard let name else { return }
    let table = String(cString: name)
    if table.hasPrefix("sqlite_") || database.map({ sqlite3_stricmp($0, "main") != 0 }) == true {
      preparation.readsElsewhere = true
    } else {
      preparation.readTables.insert(table)
    }
  }

  /// Records a change that the body of a trigger makes.
  private func noteTrigger(_ trigger: UnsafePointer<CChar>, _ action: CInt, _ table: UnsafePointer<CChar>?) {
    guard let table, let operation = TriggerChange.Operation(action) else { return }
    preparation.triggerChanges.insert(TriggerChange(table: String(cString: table).lowercased(), operation: operation))
  }

  /// Returns the name of a table of the main database, unless it is one of SQLite's own.
  private func userTable(_ name: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?) -> String? {
    guard let name, let database, String(cString: database) == "main" else { return nil }
    let table = String(cString: name)
    return table.hasPrefix("sqlite_") ? nil : table
  }
}
