extension SQLiteConnection {
  /// Returns the rows of a query.
  func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    var models: [Model] = []
    try withRows(of: query) { decoder throws(DatabaseError) in
      // The type of the array is looked up here, and not for each row.
      models.reserveCapacity(query.maximum.map { min($0, 16) } ?? 16)
      repeat {
        models.append(try naming(decoder.row(Model.self)))
      } while try decoder.statement.step()
    }
    return models
  }

  /// Returns the first row of a query.
  func first<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Model? {
    var model: Model?
    try withRows(of: query.limit(min(1, query.maximum ?? 1))) { decoder throws(DatabaseError) in
      model = try naming(decoder.row(Model.self))
    }
    return model
  }

  /// Calls a closure with each row of a query and the statement that has returned it, until the closure returns `false`.
  func forEach<Model: StoreModel>(
    _ query: Query<Model>, _ body: (Model, SQLiteStatement) -> Bool
  ) throws(DatabaseError) {
    try withRows(of: query) { decoder throws(DatabaseError) in
      repeat {
        let model = try naming(decoder.row(Model.self))
        guard body(model, decoder.statement) else { return }
      } while try decoder.statement.step()
    }
  }

  /// Calls a closure at the first row of a query, if there is one.
  private func withRows<Model: StoreModel>(
    of query: Query<Model>, _ body: (RowDecoder) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    try begin(query, query.compiled) { statement, isFound, layout throws(DatabaseError) in
      guard isFound else { return }
      let decoder = try naming(RowDecoder(layout: layout.row, statement: statement, isOrdered: query.source == nil))
      defer { decoder.end() }
      try body(decoder)
    }
  }

  /// Returns the number of rows of a query.
  func count<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    try begin(query, query.compiledCount) { statement, isFound, _ in isFound ? Int(statement.int64(at: 0)) : 0 }
  }

  /// Runs a query's statement up to its first row, and records the rows on which its result depends.
  @inline(__always)
  private func begin<Model: StoreModel, Result>(
    _ query: Query<Model>, _ compile: (ModelLayout) throws(ModelError) -> CompiledQuery,
    _ body: (SQLiteStatement, _ isFound: Bool, ModelLayout) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let layout = try ModelStatements<Model>.of(self).layout
    let compiled = try naming(compile(layout))
    let keys = tracking == nil ? nil : query.keys(in: layout)
    return try withStatement(compiled.sql, compiled.arguments) { statement throws(DatabaseError) in
      statement.isRegionKnown = keys != nil
      // Only after the first step is it certain that the columns match the current tables.
      let isFound = try statement.step()
      if let keys { try track(keys, of: Model.self, instead: statement) }
      return try body(statement, isFound, layout)
    }
  }

  /// Deletes or changes the rows of a query, and returns their number.
  func change<Model: StoreModel>(
    _ model: Model.Type, _ compile: (ModelLayout) throws(ModelError) -> CompiledQuery
  ) throws(DatabaseError) -> Int {
    let layout = try ModelStatements<Model>.of(self).layout
    let compiled = try naming(compile(layout))
    return try change(compiled.sql, compiled.arguments)
  }
}
