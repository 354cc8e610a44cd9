/// The part of a database that something depends on.
enum ObservedRegion: Hashable, Sendable {
  /// All rows of these tables.
  case tables(Set<String>)
  /// The rows of a table that have these keys, whether or not they exist.
  case rows(table: String, keys: Set<SQLiteValue>)
  /// All rows of all tables.
  case everything
}

extension Database {
  /// The rows of a model's table that have some keys, or the whole table if its changes do not name these keys.
  func region<Model: StoreModel>(
    of model: Model.Type, keys: Set<SQLiteValue>
  ) throws(DatabaseError) -> ObservedRegion {
    let areKeysTold = try readValue { transaction throws(DatabaseError) in
      try ModelStatements<Model>.of(transaction.connection).areKeysTold
    }
    // A region without keys would never be told that the database has been closed.
    return areKeysTold && !keys.isEmpty ? .rows(table: Model.table.name, keys: keys) : .tables([Model.table.name])
  }
}
