import FileSignals
import Signals

/// The columns from which a `Decodable` type that is not a model is decoded.
struct Projection: Sendable {
  let layout: ColumnLayout
  /// A Boolean value that indicates whether the type is decoded from the first column, whatever its name.
  let isSingle: Bool

  /// The projections that have been inferred, which takes as long as reading some rows.
  private static let known = Guarded<[ObjectIdentifier: Projection]>([:])

  /// Returns the projection to a type.
  static func of<Value: Decodable>(_ type: Value.Type) throws(ModelError) -> Projection {
    let identifier = ObjectIdentifier(type)
    if let projection = known.withLock({ $0[identifier] }) { return projection }
    let projection = try inferred(type)
    known.withLock { $0[identifier] = projection }
    return projection
  }

  private static func inferred<Value: Decodable>(_ type: Value.Type) throws(ModelError) -> Projection {
    let name = "\(type)"
    var reason = "it was never decoded"
    for samples in ProbeSamples.attempts {
      let probe = Probe(samples)
      do {
        if let (column, _) = samples.known(type) { return single(name, column) }
        _ = try Value(from: probe)
        return projection(name, probe)
      } catch {
        // A type that rejects the sample has revealed what it decodes.
        if case .single(let column) = probe.shape { return single(name, column) }
        reason = (error as? Probe.Refusal)?.reason ?? "it rejects sample values: \(clause("\(error)"))"
      }
    }
    throw .columnsNotInferable(table: name, column: nil, reason: reason)
  }

  private static func projection(_ name: String, _ probe: Probe) -> Projection {
    switch probe.shape {
    case .single(let column): single(name, column)
    case .keyed where !probe.columns.isEmpty:
      Projection(layout: ColumnLayout(table: name, columns: probe.columns), isSingle: false)
    case nil, .keyed, .unkeyed: single(name, .json)
    }
  }

  private static func single(_ name: String, _ column: ColumnType) -> Projection {
    Projection(layout: ColumnLayout(table: name, columns: [TableColumn("value", column)]), isSingle: true)
  }
}

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
