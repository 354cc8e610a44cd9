/// What the authorizer hears while a statement is being prepared.
struct Preparation {
  var isTransaction = false
  /// Whether the statement was refused because it begins or ends a transaction.
  var isForbidden = false
  var savepoint: StatementTraits.Savepoint?
  var changesSchema = false
  var droppedTables: Set<String> = []
  /// Tables that get new rows or new values.
  var writtenTables: Set<String> = []
  /// Tables of which a column gets new values that is part of the key.
  var rekeyedTables: Set<String> = []

  /// What the statement is like, whose text is given.
  func traits(of sql: String) -> StatementTraits {
    var traits = StatementTraits()
    traits.isTransaction = isTransaction
    traits.savepoint = savepoint
    traits.changesSchema = changesSchema
    traits.droppedTables = droppedTables
    traits.tablesToTrace = rekeyedTables
    if !writtenTables.isEmpty {
      let words = sql.uppercased()
      if words.contains("REPLACE") { traits.tablesToTrace.formUnion(writtenTables) }
      traits.keepsChangesOnFailure = words.contains("FAIL")
    }
    return traits
  }
}
