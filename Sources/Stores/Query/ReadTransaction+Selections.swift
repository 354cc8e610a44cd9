extension ReadTransaction {
  /// Returns the rows of a selection.
  ///
  /// - Parameter selection: The selection.
  /// - Returns: The rows, as values or as tuples.
  /// - Throws: ``DatabaseError``.
  public func all<Model: StoreModel, Output>(
    _ selection: Selection<Model, Output>
  ) throws(DatabaseError) -> [Output] {
    try connection.all(selection)
  }

  /// Returns the first row of a selection.
  ///
  /// - Parameter selection: The selection.
  /// - Returns: The row, or `nil` if there is none.
  /// - Throws: ``DatabaseError``.
  public func first<Model: StoreModel, Output>(
    _ selection: Selection<Model, Output>
  ) throws(DatabaseError) -> Output? {
    try connection.all(selection.limit(Swift.min(1, selection.maximum ?? 1))).first
  }

  /// Returns the sum of a property over the rows of a query, which is 0 if there are no values.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Person: StoreModel {
  ///   static let table = TableSpec("person")
  ///   var id: Int
  ///   var city: String
  ///   var age: Int
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// try database.write { transaction in
  ///   try transaction.put([Person(id: 1, city: "Rome", age: 36), Person(id: 2, city: "Oslo", age: 17)])
  /// }
  /// try database.read { transaction in
  ///   print(try transaction.sum(Person.where { $0.age > 0 }) { $0.age })  // Prints "53"
  ///   print(try transaction.average(Query<Person>()) { $0.age } ?? 0)  // Prints "26.5"
  ///   print(try transaction.max(Query<Person>()) { $0.age } ?? 0)  // Prints "36"
  ///   print(try transaction.all(Person.select { $0.city }.distinct()))  // Prints "["Oslo", "Rome"]"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - column: A closure that returns the property.
  /// - Returns: The sum.
  /// - Throws: ``DatabaseError``, also if a sum of integers exceeds `Int`, or another sum is not a number.
  public func sum<Model: StoreModel, Value: SQLiteNumber>(
    _ query: Query<Model>, _ column: (Columns<Model>) -> Column<Model, Value>
  ) throws(DatabaseError) -> Value.Sum {
    try first(query.select { column($0).sum() }) ?? 0
  }

  /// Returns the average of a property over the rows of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - column: A closure that returns the property.
  /// - Returns: The average, or `nil` if there are no values, or both infinities are among them.
  /// - Throws: ``DatabaseError``.
  public func average<Model: StoreModel, Value: SQLiteNumber>(
    _ query: Query<Model>, _ column: (Columns<Model>) -> Column<Model, Value>
  ) throws(DatabaseError) -> Double? {
    try first(query.select { column($0).average() }) ?? nil
  }

  /// Returns the smallest value of a property in the rows of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - column: A closure that returns the property.
  /// - Returns: The value, or `nil` if there is none.
  /// - Throws: ``DatabaseError``.
  public func min<Model: StoreModel, Value: SQLiteOrdered>(
    _ query: Query<Model>, _ column: (Columns<Model>) -> Column<Model, Value>
  ) throws(DatabaseError) -> Value.Present? where Value.Present: Decodable {
    try first(query.select { column($0).min() }) ?? nil
  }

  /// Returns the largest value of a property in the rows of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - column: A closure that returns the property.
  /// - Returns: The value, or `nil` if there is none.
  /// - Throws: ``DatabaseError``.
  public func max<Model: StoreModel, Value: SQLiteOrdered>(
    _ query: Query<Model>, _ column: (Columns<Model>) -> Column<Model, Value>
  ) throws(DatabaseError) -> Value.Present? where Value.Present: Decodable {
    try first(query.select { column($0).max() }) ?? nil
  }
}

extension SQLiteConnection {
  /// Returns the rows of a selection.
  func all<Model: StoreModel, Output>(_ selection: Selection<Model, Output>) throws(DatabaseError) -> [Output] {
    let table = try ModelStatements<Model>.of(self).layout
    let (compiled, layout) = try naming(selection.compiled(in: table))
    return try withStatement(compiled.sql, compiled.arguments) { statement throws(DatabaseError) in
      try statement.values(layout, isOrdered: true) { decoder throws(ModelError) in
        try decoder.decoding { () throws in
          var columns = SelectionDecoder(row: decoder)
          return try selection.decode(&columns)
        }
      }
    }
  }
}

extension SQLiteStatement {
  /// Returns a value for each row.
  @inline(__always)
  func values<Value>(
    _ layout: ColumnLayout, isOrdered: Bool, _ value: (RowDecoder) throws(ModelError) -> Value
  ) throws(DatabaseError) -> [Value] {
    var values: [Value] = []
    // Only after the first step is it certain that the columns match the current tables.
    guard try step() else { return values }
    let connection = connection
    let decoder = try connection.naming(RowDecoder(layout: layout, statement: self, isOrdered: isOrdered))
    defer { decoder.end() }
    repeat {
      values.append(try connection.naming(value(decoder)))
    } while try step()
    return values
  }
}
