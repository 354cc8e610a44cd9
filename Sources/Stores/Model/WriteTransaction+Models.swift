extension WriteTransaction {
  /// Inserts a row, or changes the one with the same key.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Person: StoreModel {
  ///   static let table = TableSpec("person", unique: ["name"])
  ///   var id: Int
  ///   var name: String
  ///   var age: Int
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// try database.write { transaction in
  ///   try transaction.put([Person(id: 1, name: "Ada", age: 36), Person(id: 2, name: "Bob", age: 17)])
  ///   try transaction.update(Person.self, id: 2) { $0.age += 1 }
  /// }
  /// print(try database.read { try $0.count(Person.where("age", .greaterOrEqual, 18)) })  // Prints "2"
  /// ```
  ///
  /// No other row is ever replaced: one that has in common with this what must be unique is told by
  /// ``DatabaseError/constraint(_:)``.
  ///
  /// - Parameter model: The row.
  /// - Throws: ``DatabaseError``; nothing has been written then.
  public func put<Model: StoreModel>(_ model: Model) throws(DatabaseError) {
    try ModelStatements<Model>.of(connection).put(model)
  }

  /// Inserts rows, or changes those with the same keys, one after the other.
  ///
  /// - Parameter models: The rows.
  /// - Throws: ``DatabaseError`` of the first row that cannot be put; those before it have been put.
  public func put<Model: StoreModel>(_ models: some Sequence<Model>) throws(DatabaseError) {
    let statements = try ModelStatements<Model>.of(connection)
    for model in models { try statements.put(model) }
  }

  /// Reads a row, lets a closure change it, and puts it back.
  ///
  /// If the closure changes the key, the row moves: there is none under the old key any more.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - id: The row's key.
  ///   - body: Changes the row; it is not called if there is none.
  /// - Returns: The row as it is now; `nil` if there is none.
  /// - Throws: What `body` throws, or ``DatabaseError``; nothing has been written then.
  @discardableResult
  public func update<Model: StoreModel>(
    _ model: Model.Type, id: Model.ID, _ body: (inout Model) throws -> Void
  ) throws -> Model? {
    guard var row = try find(model, id: id) else { return nil }
    try body(&row)
    if row.id.sqliteValue == id.sqliteValue {
      try put(row)
    } else {
      try savepoint {
        try delete(model, id: id)
        try put(row)
      }
    }
    return row
  }

  /// Deletes a row.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - id: The row's key.
  /// - Returns: Whether there was such a row.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func delete<Model: StoreModel>(_ model: Model.Type, id: Model.ID) throws(DatabaseError) -> Bool {
    let connection = try connection
    let statements = try ModelStatements<Model>.of(connection)
    let before = connection.totalChanges
    try statements.delete(id)
    return connection.totalChanges > before
  }

  /// Deletes the rows of a query.
  ///
  /// - Parameter query: Which rows.
  /// - Returns: How many there were.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func deleteAll<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    let connection = try connection
    let before = connection.totalChanges
    try connection.deleteAll(query)
    return connection.totalChanges == before ? 0 : connection.lastChanges
  }

  /// Deletes all rows of a model's table.
  ///
  /// - Parameter model: The model.
  /// - Returns: How many there were.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func deleteAll<Model: StoreModel>(_ model: Model.Type) throws(DatabaseError) -> Int {
    try deleteAll(Query<Model>())
  }
}
