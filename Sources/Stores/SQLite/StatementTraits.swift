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
  /// The tables in which keys may change, which the update hook reports only in part.
  var rekeyedTables: Set<String> = []
  /// A Boolean value that indicates whether changes made before a failure are kept.
  var keepsChangesOnFailure = false

  /// A Boolean value that indicates whether the statement needs no work before or after it.
  var isPlain: Bool {
    savepoint == nil && !changesSchema && replacingTables.isEmpty && rekeyedTables.isEmpty && droppedTables.isEmpty
  }
}
