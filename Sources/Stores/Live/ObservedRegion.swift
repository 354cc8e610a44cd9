/// The part of a database that an observer depends on.
enum ObservedRegion: Hashable, Sendable {
  /// All rows of these tables.
  case tables(Set<String>)
  /// The rows with these keys in a table, whether or not they exist.
  case rows(table: String, keys: Set<SQLiteValue>)
  /// All rows of all tables.
  case everything
}

extension Database {
  /// Returns the rows with some keys in a model's table, or the whole table if its changes do not name these keys.
  func region<Model: StoreModel>(
    of model: Model.Type, keys: Set<SQLiteValue>
  ) throws(DatabaseError) -> ObservedRegion {
    let areKeysTold = try readValue { transaction throws(DatabaseError) in
      try ModelStatements<Model>.of(transaction.connection).areKeysTold
    }
    // An observer of a region without keys would not be notified that the database was closed.
    return areKeysTold && !keys.isEmpty ? .rows(table: Model.table.name, keys: keys) : .tables([Model.table.name])
  }
}
