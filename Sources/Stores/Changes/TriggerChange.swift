import CSQLite
import FileSignals

/// A kind of change of a table, which may call triggers.
struct TriggerChange: Hashable {
  enum Operation: CaseIterable {
    case insert, update, delete

    /// Creates the operation of an action that the authorizer reports.
    init?(_ action: CInt) {
      switch action {
      case SQLITE_INSERT: self = .insert
      case SQLITE_UPDATE: self = .update
      case SQLITE_DELETE: self = .delete
      default: return nil
      }
    }
  }

  /// The table or view, in lower case.
  let table: String
  let operation: Operation
}

extension SQLiteConnection {
  /// Returns a Boolean value that indicates whether triggers of some tables may call themselves, directly or through
  /// others, if recursive triggers are on.
  ///
  /// SQLite compiles all triggers of a statement, and those that they call, when it prepares the statement.
  func mayTriggersRecur(on tables: Set<String>) -> Bool {
    // A trigger that cannot be compiled, for example because a table is missing, may do anything.
    tolerating(else: true) {
      var reached: Set<TriggerChange> = []
      for table in tables {
        for operation in TriggerChange.Operation.allCases {
          reached.formUnion(try triggerChanges(by: TriggerChange(table: table, operation: operation)))
        }
      }
      for change in reached where try triggerChanges(by: change).contains(change) { return true }
      return false
    }
  }

  /// Returns all changes that triggers make because of one change.
  func triggerChanges(by change: TriggerChange) throws(DatabaseError) -> Set<TriggerChange> {
    let table = SQL.name(change.table)
    // With `OR REPLACE`, triggers that delete rows are included, also in the bodies of other triggers.
    let sql: String
    switch change.operation {
    case .insert: sql = "INSERT OR REPLACE INTO main.\(table) DEFAULT VALUES"
    case .delete: sql = "DELETE FROM main.\(table)"
    case .update:
      let columns = try rows(
        "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0", [.text(change.table)])
      let terms = columns.compactMap { $0[0].stringValue.map(SQL.name) }.map { "\($0) = \($0)" }
      sql = "UPDATE OR REPLACE main.\(table) SET \(terms.joined(separator: ", "))"
    }
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return preparation.triggerChanges
  }
}
