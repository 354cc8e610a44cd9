/// What the authorizer hears while a statement is being prepared.
struct Preparation {
  /// Whether the statement was refused because it begins or ends a transaction.
  var isForbidden = false
  var savepoint: StatementTraits.Savepoint?
  var readTables: Set<String> = []
  var changesSchema = false
  var droppedTables: Set<String> = []
  /// Tables that get new rows or new values.
  var writtenTables: Set<String> = []
  /// Tables of which a column gets new values that is part of the key.
  var rekeyedTables: Set<String> = []

  /// What the statement is like, whose text is given.
  func traits(of sql: String, in tables: TableCatalog?) -> StatementTraits {
    var traits = StatementTraits()
    traits.savepoint = savepoint
    traits.readTables = readTables
    traits.changesSchema = changesSchema
    traits.droppedTables = droppedTables
    traits.rekeyedTables = rekeyedTables
    guard !writtenTables.isEmpty, let tables else { return traits }
    let words = sql.uppercased()
    traits.replacingTables =
      words.contains("REPLACE") || tables.triggersReplace
      ? writtenTables : writtenTables.filter { tables.table($0)?.table.replaces == true }
    traits.keepsChangesOnFailure = tables.mayFailHalfway || words.contains("FAIL")
    return traits
  }
}
