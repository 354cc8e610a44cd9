extension SQLiteConnection {
  /// Returns the rows of a query.
  func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    var models: [Model] = []
    try forEach(query) { model, _ in
      models.append(model)
      return true
    }
    return models
  }

  /// Calls a closure with each row of a query and the statement that has returned it, until the closure returns `false`.
  func forEach<Model: StoreModel>(
    _ query: Query<Model>, _ body: (Model, SQLiteStatement) -> Bool
  ) throws(DatabaseError) {
    let compiled = try naming { () throws(ModelError) in try query.compiled() }
    let layout = try naming { () throws(ModelError) in try ModelLayout.of(Model.self) }
    let keys = tracking == nil ? nil : query.keys(in: layout)
    try withStatement(compiled.sql) { statement throws(DatabaseError) in
      try statement.bind(compiled.arguments)
      statement.isRegionKnown = keys != nil
      // Only after the first step is it certain that the columns match the current tables.
      let isFound = try statement.step()
      if let keys { try track(keys, of: Model.self, instead: statement) }
      guard isFound else { return }
      let decoder = try naming { () throws(ModelError) in
        try RowDecoder(layout: layout.row, statement: statement, isOrdered: query.source == nil)
      }
      defer { decoder.end() }
      repeat {
        let model = try naming { () throws(ModelError) in try decoder.row(Model.self) }
        guard body(model, statement) else { return }
      } while try statement.step()
    }
  }

  /// Returns the number of rows of a query.
  func count<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    let compiled = try naming { () throws(ModelError) in try query.compiledCount() }
    let layout = try naming { () throws(ModelError) in try ModelLayout.of(Model.self) }
    let keys = tracking == nil ? nil : query.keys(in: layout)
    return try withStatement(compiled.sql) { statement throws(DatabaseError) in
      try statement.bind(compiled.arguments)
      statement.isRegionKnown = keys != nil
      let isFound = try statement.step()
      if let keys { try track(keys, of: Model.self, instead: statement) }
      return isFound ? Int(statement.int64(at: 0)) : 0
    }
  }

  /// Deletes the rows of a query.
  func deleteAll<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) {
    let compiled = try naming { () throws(ModelError) in try query.compiledDeletion() }
    try run(compiled.sql, compiled.arguments)
  }

  /// Changes the rows of a query.
  func updateAll<Model: StoreModel>(
    _ query: Query<Model>, _ assignments: [Assignment<Model>]
  ) throws(DatabaseError) {
    let compiled = try naming { () throws(ModelError) in try query.compiledUpdate(assignments) }
    try run(compiled.sql, compiled.arguments)
  }
}
