/// What a statement does beyond reading and writing rows of ordinary tables, as SQLite told while preparing it.
struct StatementTraits: Equatable {
  /// What a statement does to a savepoint.
  enum Savepoint: Equatable {
    case begin(String)
    case release(String)
    case rollBack(String)
  }

  var savepoint: Savepoint?
  /// The tables whose rows decide what it gives.
  var readTables: Set<String> = []
  /// Whether tables, indexes, triggers or views are made, changed or removed.
  var changesSchema = false
  /// Tables whose rows are all removed along with them.
  var droppedTables: Set<String> = []
  /// Tables in which rows may be replaced, without a word to the update hook.
  var replacingTables: Set<String> = []
  /// Tables in which rows may get other keys, of which the update hook tells half.
  var rekeyedTables: Set<String> = []
  /// Whether what was changed before a failure stays changed.
  var keepsChangesOnFailure = false

  /// Whether nothing needs to be done before or after it.
  var isPlain: Bool {
    savepoint == nil && !changesSchema && replacingTables.isEmpty && rekeyedTables.isEmpty && droppedTables.isEmpty
  }
}
