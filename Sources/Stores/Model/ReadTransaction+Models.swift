extension ReadTransaction {
  /// The row of a key.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - id: The row's key.
  /// - Returns: The row; `nil` if there is none.
  /// - Throws: ``DatabaseError``, which names table, column and row if these hold what the model cannot be made of.
  public func find<Model: StoreModel>(_ model: Model.Type, id: Model.ID) throws(DatabaseError) -> Model? {
    try ModelStatements<Model>.of(connection).find(id)
  }

  /// The rows of a query.
  ///
  /// - Parameter query: Which rows, and in which order.
  /// - Returns: The rows.
  /// - Throws: ``DatabaseError``.
  public func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    try connection.all(query)
  }

  /// All rows of a model's table, in no particular order.
  ///
  /// - Parameter model: The model.
  /// - Returns: The rows.
  /// - Throws: ``DatabaseError``.
  public func all<Model: StoreModel>(_ model: Model.Type) throws(DatabaseError) -> [Model] {
    try all(Query<Model>())
  }

  /// The first row of a query.
  ///
  /// - Parameter query: Which rows, and in which order.
  /// - Returns: The row; `nil` if there is none.
  /// - Throws: ``DatabaseError``.
  public func first<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Model? {
    try connection.all(query.limit(min(1, query.maximum ?? 1))).first
  }

  /// The number of the rows of a query.
  ///
  /// - Parameter query: Which rows.
  /// - Returns: How many there are.
  /// - Throws: ``DatabaseError``.
  public func count<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    try connection.count(query)
  }

  /// The number of all rows of a model's table.
  ///
  /// - Parameter model: The model.
  /// - Returns: How many there are.
  /// - Throws: ``DatabaseError``.
  public func count<Model: StoreModel>(_ model: Model.Type) throws(DatabaseError) -> Int {
    try count(Query<Model>())
  }
}
