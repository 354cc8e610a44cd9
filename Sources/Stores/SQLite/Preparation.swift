/// The information that the authorizer receives while a statement is being prepared.
struct Preparation {
  /// A Boolean value that indicates whether the statement was rejected because it begins or ends a transaction.
  var isForbidden = false
  var savepoint: StatementTraits.Savepoint?
  var readTables: Set<String> = []
  /// A Boolean value that indicates whether the result depends on another database, or on SQLite's own tables.
  var readsElsewhere = false
  var changesSchema = false
  var droppedTables: Set<String> = []
  /// The tables that get new rows or new values.
  var writtenTables: Set<String> = []
  /// The tables in which a key column gets new values.
  var rekeyedTables: Set<String> = []
  /// The changes that triggers make.
  var triggerChanges: Set<TriggerChange> = []

  /// Returns the traits of a statement, given its text.
  func traits(of sql: String, on connection: SQLiteConnection) -> StatementTraits {
    var traits = StatementTraits()
    traits.savepoint = savepoint
    let read = readTables.filter(connection.isTable)
    if readsElsewhere || read.isEmpty { traits.region.insertEverything() }
    for table in read { traits.region.insert(table: table) }
    traits.changesSchema = changesSchema
    traits.droppedTables = droppedTables
    traits.rekeyedTables = rekeyedTables
    guard !writtenTables.isEmpty, let tables = connection.changes?.tables else { return traits }
    let words = sql.uppercased()
    traits.replacingTables =
      words.contains("REPLACE") || tables.triggersReplace
      ? writtenTables : writtenTables.filter { tables.table($0)?.table.replaces == true }
    traits.keepsChangesOnFailure = tables.mayFailHalfway || words.contains("FAIL")
    return traits
  }
}
