extension ReadTransaction {
  /// Returns the row with a key.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - id: The row's key.
  /// - Returns: The row, or `nil` if there is none.
  /// - Throws: ``DatabaseError``. If the row cannot be decoded, it contains the table, column and row.
  public func find<Model: StoreModel>(_ model: Model.Type, id: Model.ID) throws(DatabaseError) -> Model? {
    try ModelStatements<Model>.of(connection).find(id)
  }

  /// Returns the rows of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The rows.
  /// - Throws: ``DatabaseError``.
  public func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    try connection.all(query)
  }

  /// Returns all rows of a model's table, in no particular order.
  ///
  /// - Parameter model: The model.
  /// - Returns: The rows.
  /// - Throws: ``DatabaseError``.
  public func all<Model: StoreModel>(_ model: Model.Type) throws(DatabaseError) -> [Model] {
    try all(Query<Model>())
  }

  /// Returns the first row of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The row, or `nil` if there is none.
  /// - Throws: ``DatabaseError``.
  public func first<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Model? {
    try connection.first(query)
  }

  /// Returns the number of rows of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number of rows.
  /// - Throws: ``DatabaseError``.
  public func count<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    try connection.count(query)
  }

  /// Returns the number of rows of a model's table.
  ///
  /// - Parameter model: The model.
  /// - Returns: The number of rows.
  /// - Throws: ``DatabaseError``.
  public func count<Model: StoreModel>(_ model: Model.Type) throws(DatabaseError) -> Int {
    try count(Query<Model>())
  }
}

extension ReadTransaction {
  /// Calls a closure with each row of a query, one after another.
  ///
  /// Only one row is in memory at a time, so the result may be larger than the memory.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Person: StoreModel {
  ///   static let table = TableSpec("person")
  ///   var id: Int
  ///   var name: String
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// try database.write { try $0.put([Person(id: 1, name: "Ada"), Person(id: 2, name: "Grace")]) }
  /// try database.read { transaction in
  ///   try transaction.forEach(Person.ordered { $0.id }) { print($0.name) }
  ///   // Prints "Ada"
  ///   // Prints "Grace"
  /// }
  /// ```
  ///
  /// - **Cancellation.** An error that the closure throws ends the loop. No further row is read.
  /// - **Changes.** The closure may use the transaction. If it changes rows of the query, the loop may include or omit
  ///   the changed rows.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - body: A closure that receives each row, in the order of the query.
  /// - Throws: The error that `body` throws, or ``DatabaseError``.
  public func forEach<Model: StoreModel>(_ query: Query<Model>, _ body: (Model) throws -> Void) throws {
    var failure: (any Error)?
    try connection.forEach(query) { model, _ in
      do { try body(model) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
  }

  /// Calls a closure with each row that a statement returns, one after another.
  ///
  /// Only one row is in memory at a time.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument. Never insert values into the text.
  ///   - arguments: The values of the parameters, in order.
  ///   - body: A closure that receives each row, in the order in which the statement returns them. An error that it
  ///     throws ends the loop.
  /// - Throws: The error that `body` throws, or ``DatabaseError``.
  public func forEach(
    _ sql: String, _ arguments: (any SQLiteConvertible)?..., body: (Row) throws -> Void
  ) throws {
    try forEach(sql, arguments: arguments.map { $0?.sqliteValue ?? .null }, body: body)
  }

  /// Calls a closure with each row that a statement returns, one after another.
  ///
  /// Only one row is in memory at a time.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  ///   - body: A closure that receives each row, in the order in which the statement returns them. An error that it
  ///     throws ends the loop.
  /// - Throws: The error that `body` throws, or ``DatabaseError``.
  public func forEach(_ sql: String, arguments: [SQLiteValue], body: (Row) throws -> Void) throws {
    var failure: (any Error)?
    try withStatement(sql, arguments) { statement throws(DatabaseError) in
      while failure == nil, try statement.step() {
        do { try body(statement.row) } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }
}
