import FileSignals

/// The prepared statements of one model on one connection, which make access to single rows fast.
final class ModelStatements<Model: StoreModel> {
  let layout: ModelLayout
  // Sound: a connection releases these before it is released.
  private unowned(unsafe) let connection: SQLiteConnection
  private var putter: RowEncoder?
  private var finder: RowDecoder?
  private var deleter: SQLiteStatement?
  private var knownKeysTold: (result: Bool, schemaAge: Int)?

  init(connection: SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    layout = try connection.naming(ModelLayout.of(Model.self))
  }

  deinit {
    putter?.end()
    finder?.end()
  }

  /// Returns the statements of a connection.
  static func of(_ connection: SQLiteConnection) throws(DatabaseError) -> ModelStatements {
    let identifier = ObjectIdentifier(ModelStatements.self)
    // Sound: only the next lines store a value under this identifier.
    if let known = connection.attachments[identifier] { return unsafeDowncast(known, to: ModelStatements.self) }
    let statements = try ModelStatements(connection: connection)
    connection.attachments[identifier] = statements
    return statements
  }

  /// Inserts a row, or updates the one with the same key.
  func put(_ model: Model) throws(DatabaseError) {
    let encoder: RowEncoder
    if let putter {
      encoder = putter
    } else {
      encoder = RowEncoder(layout: layout.row, statement: try connection.prepare(layout.put))
      putter = encoder
    }
    try connection.naming(encoder.bind(model))
    try encoder.statement.run()
  }

  /// Inserts a row, or updates the one with the same key, and returns it with the key that it has in the table.
  func putReturning(_ model: Model) throws(DatabaseError) -> Model {
    guard model.id.sqliteValue.isNull else {
      try put(model)
      return model
    }
    let before = connection.totalChanges
    try put(model)
    if connection.totalChanges > before, let key = Model.ID(sqliteValue: .integer(connection.lastInsertedRowID)),
      let row = try find(key)
    {
      return row
    }
    let reason = "a trigger removed the new row"
    let error = ModelError.undecodable(table: layout.table, column: layout.spec.key, key: nil, reason: reason)
    throw .model(error, path: connection.path)
  }

  /// Returns the row with a key.
  func find(_ key: Model.ID) throws(DatabaseError) -> Model? {
    let decoder: RowDecoder
    if let finder {
      decoder = finder
    } else {
      let statement = try connection.prepare(layout.find)
      statement.isRegionKnown = true
      decoder = try connection.naming(RowDecoder(layout: layout.row, statement: statement, isOrdered: true))
      finder = decoder
    }
    let statement = decoder.statement
    let key = key.sqliteValue
    statement.bind(key, at: 1)
    defer { statement.reset() }
    let isFound = try statement.step()
    if connection.tracking != nil { try connection.track([key], of: Model.self, instead: statement) }
    guard isFound else { return nil }
    return try connection.naming(decoder.row(Model.self))
  }

  /// A Boolean value that indicates whether changes of the table contain the model's keys, and equal keys have equal
  /// bytes.
  ///
  /// Neither is guaranteed in a table that already existed before the model.
  var areKeysTold: Bool {
    get throws(DatabaseError) {
      if let knownKeysTold, knownKeysTold.schemaAge == connection.schemaAge { return knownKeysTold.result }
      let isKey = try connection.value(
        """
        SELECT (SELECT group_concat(lower(name)) FROM pragma_table_info(?1) WHERE pk > 0) = lower(?2)
        AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS part
          WHERE list.origin = 'pk' AND part.key AND part.coll <> 'BINARY')
        """, [.text(layout.table), .text(layout.spec.key)])
      // The column and the index of its key may have different collations.
      let result = isKey == 1 && connection.collation(of: layout.spec.key, in: layout.table) == "BINARY"
      knownKeysTold = (result, connection.schemaAge)
      return result
    }
  }

  /// Deletes the row with a key.
  func delete(_ key: Model.ID) throws(DatabaseError) {
    let statement = if let deleter { deleter } else { try connection.prepare(layout.delete) }
    deleter = statement
    statement.bind(key.sqliteValue, at: 1)
    try statement.run()
  }
}

extension SQLiteConnection {
  /// Adds the file to an error of a model.
  @inline(__always)
  func naming<Result>(_ body: @autoclosure () throws(ModelError) -> Result) throws(DatabaseError) -> Result {
    try translating(body()) { (error: ModelError) in DatabaseError.model(error, path: path) }
  }
}
