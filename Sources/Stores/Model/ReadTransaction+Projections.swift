extension ReadTransaction {
  /// Runs a statement and decodes its rows as values of any type.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Summary: Decodable, Equatable {
  ///   var city: String
  ///   var people: Int
  /// }
  ///
  /// let database = try Database(.memory)
  /// try database.write { transaction in
  ///   try transaction.execute("CREATE TABLE person (name TEXT, city TEXT)")
  ///   try transaction.execute("INSERT INTO person VALUES ('Ada', 'Rome'), ('Bob', 'Oslo'), ('Cleo', 'Rome')")
  /// }
  /// try database.read { transaction in
  ///   let cities = try transaction.all(
  ///     "SELECT city, COUNT(*) AS people FROM person GROUP BY city HAVING people > ?", 1, as: Summary.self)
  ///   print(cities.map { "\($0.city): \($0.people)" })  // Prints "["Rome: 2"]"
  ///   let names = try transaction.all("SELECT name FROM person WHERE city = ?", "Rome", as: String.self)
  ///   print(names)  // Prints "["Ada", "Cleo"]"
  /// }
  /// ```
  ///
  /// The columns have the names of the type's coding keys, in any order; further columns are ignored. A type that
  /// decodes a single value, such as `Int` or `String?`, is decoded from the first column. Values have the formats that
  /// ``ColumnType`` describes.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument. Never insert values into the text.
  ///   - arguments: The values of the parameters, in order.
  ///   - type: The type of the rows. Its columns are inferred, as ``StoreModel`` describes.
  /// - Returns: The rows, in the order in which the statement returns them.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails, if a column is missing, or if a row cannot be
  ///   decoded.
  public func all<Value: Decodable>(
    _ sql: String, _ arguments: (any SQLiteConvertible)?..., as type: Value.Type
  ) throws(DatabaseError) -> [Value] {
    try projected(CompiledQuery(sql: sql, arguments: arguments.map { $0?.sqliteValue ?? .null }), type)
  }

  /// Returns the rows of a query as values of another type, which has some of the model's columns.
  ///
  /// Only these columns are read.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - type: The type of the values.
  /// - Returns: The values.
  /// - Throws: ``DatabaseError``, also if the model has no column with the name of one of the type's coding keys.
  public func all<Model: StoreModel, Value: Decodable>(
    _ query: Query<Model>, as type: Value.Type
  ) throws(DatabaseError) -> [Value] {
    let compiled = try connection.naming(query.compiled(selecting: try Projection.of(type)))
    return try projected(compiled, type)
  }

  private func projected<Value: Decodable>(
    _ query: CompiledQuery, _ type: Value.Type
  ) throws(DatabaseError) -> [Value] {
    let connection = try connection
    let projection = try connection.naming(Projection.of(type))
    return try withStatement(query.sql, query.arguments) { statement throws(DatabaseError) in
      try statement.values(projection.layout, isOrdered: projection.isSingle) { decoder throws(ModelError) in
        projection.isSingle
          ? try decoder.decoding { () throws in try decoder.value(type, at: 0) } : try decoder.row(type)
      }
    }
  }
}

extension Query {
  /// Returns the statement that selects the columns of a projection.
  func compiled(selecting projection: Projection) throws(ModelError) -> CompiledQuery {
    let layout = try ModelLayout.of(Model.self)
    guard !projection.isSingle else {
      throw .columnsNotInferable(
        table: projection.layout.table, column: nil, reason: "it has no coding keys; use select(_:) for one column")
    }
    for column in projection.layout.columns { _ = try layout.row.place(of: column.name) }
    let names = projection.layout.columns.map { SQL.name($0.name) }.joined(separator: ", ")
    let selection = "SELECT \(names)"
    return try rows(of: layout, selecting: source == nil ? "\(selection) FROM \(SQL.name(layout.table))" : selection)
  }
}
