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
