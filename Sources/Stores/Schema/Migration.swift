import Signals

/// The object with which a ``MigrationStep`` changes a file.
///
/// Use it only inside the step. Let errors of its methods propagate out of the step, which rolls everything back.
public final class Migration {
  /// The version of the file after the step.
  public let version: Int

  private let openConnection: SQLiteConnection
  private let progress: MutableProperty<MigrationProgress>
  private var hasEnded = false
  /// The number of rows after which the progress is reported.
  private static let stride = 256

  init(connection: SQLiteConnection, version: Int, progress: MutableProperty<MigrationProgress>) {
    openConnection = connection
    self.version = version
    self.progress = progress
  }

  func end() {
    hasEnded = true
  }

  /// The connection, which is available while the step runs.
  private var connection: SQLiteConnection {
    get throws(DatabaseError) {
      if hasEnded { throw .transactionIsOver(path: openConnection.path) }
      return openConnection
    }
  }

  // MARK: SQL

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument. Never insert values into the text.
  ///   - arguments: The values of the parameters, in order.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails. It has then changed nothing.
  public func execute(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) {
    try connection.run(sql, arguments.map { $0?.sqliteValue ?? .null })
  }

  // MARK: Columns

  /// Adds a column, in constant time regardless of the size of the table.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - type: The type of the column.
  ///   - table: The name of the table.
  ///   - value: The value for existing rows. Without it, the column may be null, like an optional property.
  /// - Throws: ``DatabaseError``.
  public func addColumn(
    _ name: String, _ type: ColumnType, to table: String, default value: (any SQLiteConvertible)? = nil
  ) throws(DatabaseError) {
    var definition = "\(SQL.name(name)) \(type.sql)"
    if let value, value.sqliteValue != .null {
      let literal = value.sqliteValue
      if Self.isNoNumber(literal, type) {
        throw .schema(.invalidSchema(reason: "\(literal) cannot be a default"), path: try connection.path)
      }
      definition += " NOT NULL DEFAULT \(literal)"
    }
    try connection.execute("ALTER TABLE \(SQL.name(table)) ADD COLUMN \(definition)")
  }

  private static func isNoNumber(_ value: SQLiteValue, _ type: ColumnType) -> Bool {
    switch value {
    case .real(let number): !number.isFinite
    case .text(let text): type == .decimal && !DecimalText.isNumber(text)
    default: false
    }
  }

  /// Renames a column.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - table: The name of the table.
  ///   - newName: The new name of the column.
  /// - Throws: ``DatabaseError``, also if the column does not exist.
  public func renameColumn(_ name: String, of table: String, to newName: String) throws(DatabaseError) {
    try requireColumn(name, of: table)
    try connection.execute(
      "ALTER TABLE \(SQL.name(table)) RENAME COLUMN \(SQL.name(name)) TO \(SQL.name(newName))")
  }

  /// Removes a column, and the models' indexes that include it.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - table: The name of the table.
  /// - Throws: ``DatabaseError``, also if the column does not exist or the table requires it.
  public func dropColumn(_ name: String, of table: String) throws(DatabaseError) {
    try requireColumn(name, of: table)
    let connection = try connection
    // The name of a model's index contains its definition, in which a condition or expression may use the column.
    let indexes = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND lower(tbl_name) = lower(?)"
        + " AND name LIKE 'signals\\_index %' ESCAPE '\\'", [.text(table)]
    )
    .filter { SQLTokens($0[1].stringValue ?? "").dropFirst(5).mentions(name) }.compactMap { $0[0].stringValue }
    for index in indexes { try connection.execute("DROP INDEX \(SQL.name(index))") }
    try connection.execute("ALTER TABLE \(SQL.name(table)) DROP COLUMN \(SQL.name(name))")
  }

  /// Throws an error if a column does not exist, because SQLite sometimes treats an unknown quoted name as a string
  /// literal.
  private func requireColumn(_ name: String, of table: String) throws(DatabaseError) {
    let columns = try connection.columns(of: table).map(\.name)
    guard columns.contains(where: { $0.lowercased() == name.lowercased() }) else {
      throw .model(.unknownColumn(table: table, column: name, known: columns), path: try connection.path)
    }
  }

  // MARK: Tables

  /// Creates the table of a model, for use by a later part of the step.
  ///
  /// Otherwise, tables are created after all steps.
  ///
  /// - Parameter model: The model.
  /// - Throws: ``DatabaseError``, also if the table already exists.
  public func createTable<Model: StoreModel>(of model: Model.Type) throws(DatabaseError) {
    try connection.execute(layout(of: model).creation())
  }

  /// Renames a table.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - newName: The new name of the table.
  /// - Throws: ``DatabaseError``, also if the table does not exist.
  public func renameTable(_ name: String, to newName: String) throws(DatabaseError) {
    try connection.execute("ALTER TABLE \(SQL.name(name)) RENAME TO \(SQL.name(newName))")
  }

  /// Creates a table anew with all its rows, because its model has other constraints or optional columns.
  ///
  /// SQLite cannot add a constraint to a table. Columns that only the file has are dropped, and columns that only the
  /// model has get their default value. The rows are copied without decoding them; for other changes, use
  /// ``transform(_:from:_:)``.
  ///
  /// Constraints that only the table in the file has are dropped. Everything else that statements of your own or other
  /// programs have created for the table is kept: views, triggers, indexes, and foreign keys of other tables. If an
  /// index, a trigger or a view uses a dropped column, ``SchemaError/brokenDependent(_:_:reason:)`` names it. Drop
  /// it earlier in the step, or replace it.
  ///
  /// - Parameter model: The model.
  /// - Throws: ``DatabaseError``, also if a row violates a constraint.
  public func rebuildTable<Model: StoreModel>(of model: Model.Type) throws(DatabaseError) {
    let connection = try connection
    let layout = try layout(of: model)
    let known = Set(try connection.columns(of: layout.table).map { $0.name.lowercased() })
    var columns = layout.columns.map(\.name).filter { known.contains($0.lowercased()) }.map(SQL.name)
    try connection.execute(layout.creation(as: layout.temporaryTable))
    // A full-text index of another program may refer to rows by these numbers.
    if let rowID = try connection.rowID(of: [layout.table, layout.temporaryTable]) { columns.insert(rowID, at: 0) }
    let names = columns.joined(separator: ", ")
    try connection.execute(
      "INSERT INTO \(SQL.name(layout.temporaryTable)) (\(names)) SELECT \(names) FROM \(SQL.name(layout.table))")
    try replace(layout.table, by: layout)
  }

  /// Removes a table and all its rows.
  ///
  /// - Parameter name: The name of the table.
  /// - Throws: ``DatabaseError``, also if the table does not exist.
  public func dropTable(_ name: String) throws(DatabaseError) {
    try connection.execute("DROP TABLE \(SQL.name(name))")
  }

  // MARK: Rows

  /// Returns the rows of a query, which must fit into memory.
  ///
  /// - Parameter query: The query.
  /// - Returns: The rows, in the query's order.
  /// - Throws: ``DatabaseError``, also if a row does not match the model.
  public func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    try connection.all(query)
  }

  /// Inserts a row, or updates the one with the same key.
  ///
  /// - Parameter model: The row.
  /// - Throws: ``DatabaseError``, also if the row does not match the table.
  public func put<Model: StoreModel>(_ model: Model) throws(DatabaseError) {
    try ModelStatements<Model>.of(connection).put(model)
  }

  /// Replaces a table with one that contains each row in a new form.
  ///
  /// The new table may have the same name as the old one. The models' indexes are created after all steps. Everything
  /// else that depends on the old table is kept, as by ``rebuildTable(of:)``, and follows it to a new name. Only a
  /// full-text index of another program, which refers to the table by name, does not follow.
  ///
  /// - Parameters:
  ///   - new: The model of the new rows.
  ///   - old: The model of the old rows. It needs only the columns that you use.
  ///   - body: A closure that returns the new row for an old one, or `nil` to omit it.
  /// - Throws: The error that `body` throws, or ``DatabaseError``.
  public func transform<New: StoreModel, Old: StoreModel>(
    _ new: New.Type, from old: Old.Type, _ body: (Old) throws -> New?
  ) throws {
    let connection = try connection
    let newLayout = try layout(of: new)
    let oldLayout = try layout(of: old)
    let temporary = newLayout.temporaryTable
    try connection.execute(newLayout.creation(as: temporary))
    let count = try connection.value("SELECT count(*) FROM \(SQL.name(oldLayout.table))").int64Value ?? 0
    let total = Int(count)

    let source = try connection.prepare(oldLayout.select)
    defer { source.reset() }
    for column in oldLayout.columns { try requireColumn(column.name, of: oldLayout.table) }
    let decoder = try connection.naming(RowDecoder(layout: oldLayout.row, statement: source, isOrdered: true))
    let insertion = try connection.prepare(newLayout.insertion(into: temporary))
    let encoder = RowEncoder(layout: newLayout.row, statement: insertion)
    defer {
      decoder.end()
      encoder.end()
    }
    var done = 0
    while try source.step() {
      let row = try connection.naming(decoder.row(old))
      if let row = try body(row) {
        try connection.naming(encoder.bind(row))
        try encoder.statement.run()
      }
      done += 1
      if done % Self.stride == 0 || done == total {
        progress.value = .migrating(path: connection.path, to: version, rows: done, of: total)
      }
    }
    source.reset()
    try replace(oldLayout.table, by: newLayout)
  }

  /// Drops a table, and gives the temporary table of a layout its name.
  ///
  /// Foreign keys are off during a migration, so that dropping a table deletes no rows that refer to it.
  private func replace(_ table: String, by layout: ModelLayout) throws(DatabaseError) {
    let connection = try connection
    let name = SQL.name(layout.table)
    // SQLite then adapts everything that refers to the table.
    if table.inSmallASCIILetters != layout.table.inSmallASCIILetters { try renameTable(table, to: layout.table) }
    let dependents = try DependentObjects(of: layout.table, on: connection)
    if layout.isKeyAssigned, try connection.columns(of: "sqlite_sequence").isEmpty == false {
      // Otherwise keys of deleted rows would be assigned again.
      let names: [SQLiteValue] = [.text(layout.table), .text(layout.temporaryTable)]
      let last = try connection.value(
        "SELECT max(seq) FROM sqlite_sequence WHERE name COLLATE NOCASE IN (?, ?)", names)
      try connection.run("DELETE FROM sqlite_sequence WHERE name = ?", [names[1]])
      try connection.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [names[1], last.isNull ? 0 : last])
    }
    try connection.execute("DROP TABLE \(name)")
    try connection.renamingOnlyTables { () throws(DatabaseError) in
      try connection.execute("ALTER TABLE \(SQL.name(layout.temporaryTable)) RENAME TO \(name)")
    }
    try dependents.restore(on: connection)
  }

  private func layout<Model: StoreModel>(of model: Model.Type) throws(DatabaseError) -> ModelLayout {
    let connection = try connection
    return try connection.naming(ModelLayout.of(model))
  }
}

@available(*, unavailable)
extension Migration: Sendable {}
