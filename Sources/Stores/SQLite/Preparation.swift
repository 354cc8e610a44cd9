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
