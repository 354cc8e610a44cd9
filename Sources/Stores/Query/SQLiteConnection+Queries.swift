extension SQLiteConnection {
  /// Returns the rows of a query.
  func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    var models: [Model] = []
    try forEach(query) { model throws(DatabaseError) in models.append(model) }
    return models
  }

  /// Calls a closure with each row of a query.
  func forEach<Model: StoreModel>(
    _ query: Query<Model>, _ body: (Model) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let compiled = try naming { () throws(ModelError) in try query.compiled() }
    let layout = try naming { () throws(ModelError) in try ModelLayout.of(Model.self) }
    try withStatement(compiled.sql) { statement throws(DatabaseError) in
      try statement.bind(compiled.arguments)
      // Only after the first step is it certain that the columns match the current tables.
      guard try statement.step() else { return }
      let decoder = try naming { () throws(ModelError) in
        try RowDecoder(layout: layout, statement: statement, isOrdered: query.source == nil)
      }
      defer { decoder.end() }
      repeat {
        try body(try naming { () throws(ModelError) in try decoder.model(Model.self) })
      } while try statement.step()
    }
  }

  /// Returns the number of rows of a query.
  func count<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    let compiled = try naming { () throws(ModelError) in try query.compiledCount() }
    return Int(try value(compiled.sql, compiled.arguments).int64Value ?? 0)
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
