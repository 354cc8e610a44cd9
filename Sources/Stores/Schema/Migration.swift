import Signals

/// What a ``MigrationStep`` changes a file with.
///
/// It is to be used inside the step only. What one of its methods throws should leave the step, which undoes
/// everything.
public final class Migration {
  /// The version that the file has when the step has ended.
  public let version: Int

  private let openConnection: SQLiteConnection
  private let progress: MutableProperty<MigrationProgress>
  private var hasEnded = false
  /// After how many rows the progress is told.
  private static let stride = 256

  init(connection: SQLiteConnection, version: Int, progress: MutableProperty<MigrationProgress>) {
    openConnection = connection
    self.version = version
    self.progress = progress
  }

  func end() {
    hasEnded = true
  }

  /// The connection, for as long as the step runs.
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
  ///   - sql: One statement, with a `?` for each argument. Never paste values into it.
  ///   - arguments: The values of the parameters, in order.
  /// - Throws: ``DatabaseError`` if the statement is wrong or fails. It has then changed nothing.
  public func execute(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) {
    try connection.run(sql, arguments.map { $0?.sqliteValue ?? .null })
  }

  // MARK: Columns

  /// Adds a column, which takes no time however long the table is.
  ///
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: What it is to hold.
  ///   - table: The table's name.
  ///   - value: What the rows have that are there already. Without it the column may be null, as an optional property.
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

  /// Gives a column another name.
  ///
  /// - Parameters:
  ///   - name: The column's name.
  ///   - table: The table's name.
  ///   - newName: What the column is to be called.
  /// - Throws: ``DatabaseError``, also if there is no such column.
  public func renameColumn(_ name: String, of table: String, to newName: String) throws(DatabaseError) {
    try requireColumn(name, of: table)
    try connection.execute(
      "ALTER TABLE \(SQL.name(table)) RENAME COLUMN \(SQL.name(name)) TO \(SQL.name(newName))")
  }

  /// Removes a column, and the indexes that models have asked for of which it is a part.
  ///
  /// - Parameters:
  ///   - name: The column's name.
  ///   - table: The table's name.
  /// - Throws: ``DatabaseError``, also if there is no such column, or the table cannot be without it.
  public func dropColumn(_ name: String, of table: String) throws(DatabaseError) {
    try requireColumn(name, of: table)
    let connection = try connection
    let indexes = try connection.texts(
      "SELECT name FROM sqlite_schema AS entry WHERE type = 'index' AND lower(tbl_name) = lower(\(SQLiteValue.text(table)))"
        + " AND name LIKE 'signals\\_index %' ESCAPE '\\'"
        + " AND EXISTS (SELECT 1 FROM pragma_index_info(entry.name) AS info"
        + " WHERE lower(info.name) = lower(\(SQLiteValue.text(name))))"
    )
    for index in indexes { try connection.execute("DROP INDEX \(SQL.name(index))") }
    try connection.execute("ALTER TABLE \(SQL.name(table)) DROP COLUMN \(SQL.name(name))")
  }

  /// SQLite takes an unknown name in quotes for a text here and there.
  private func requireColumn(_ name: String, of table: String) throws(DatabaseError) {
    let columns = try connection.columns(of: table).map(\.name)
    guard columns.contains(where: { $0.lowercased() == name.lowercased() }) else {
      throw .model(.unknownColumn(table: table, column: name, known: columns), path: try connection.path)
    }
  }

  // MARK: Tables

  /// Makes the table of a model, if a later part of the step needs it; otherwise that is done when all steps have run.
  ///
  /// - Parameter model: The model.
  /// - Throws: ``DatabaseError``, also if there is such a table.
  public func createTable<Model: StoreModel>(of model: Model.Type) throws(DatabaseError) {
    try connection.execute(layout(of: model).creation())
  }

  /// Gives a table another name.
  ///
  /// - Parameters:
  ///   - name: The table's name.
  ///   - newName: What it is to be called.
  /// - Throws: ``DatabaseError``, also if there is no such table.
  public func renameTable(_ name: String, to newName: String) throws(DatabaseError) {
    try connection.execute("ALTER TABLE \(SQL.name(name)) RENAME TO \(SQL.name(newName))")
  }

  /// Removes a table with all its rows.
  ///
  /// - Parameter name: The table's name.
  /// - Throws: ``DatabaseError``, also if there is no such table.
  public func dropTable(_ name: String) throws(DatabaseError) {
    try connection.execute("DROP TABLE \(SQL.name(name))")
  }

  // MARK: Rows

  /// The rows of a query, as far as they fit into memory.
  ///
  /// - Parameter query: Which rows.
  /// - Returns: The rows, in the query's order.
  /// - Throws: ``DatabaseError``, also if a row does not fit the model.
  public func all<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> [Model] {
    try connection.all(query)
  }

  /// Inserts a row, or changes the one with the same key.
  ///
  /// - Parameter model: The row.
  /// - Throws: ``DatabaseError``, also if the row does not fit the table.
  public func put<Model: StoreModel>(_ model: Model) throws(DatabaseError) {
    try ModelStatements<Model>.of(connection).put(model)
  }

  /// Replaces a table by one that has each row in another form.
  ///
  /// The new table may have the same name as the old one. Indexes of the models are made when all steps have run;
  /// triggers of your own on the old table are gone.
  ///
  /// - Parameters:
  ///   - new: The form that rows are to have.
  ///   - old: The form that rows have; it needs to name only the columns that are of interest.
  ///   - body: Makes a new row of an old one; `nil` leaves it out.
  /// - Throws: What `body` throws, or ``DatabaseError``.
  public func transform<New: StoreModel, Old: StoreModel>(
    _ new: New.Type, from old: Old.Type, _ body: (Old) throws -> New?
  ) throws {
    let connection = try connection
    let newLayout = try layout(of: new)
    let oldLayout = try layout(of: old)
    let temporary = "signals_transformed \(newLayout.table)"
    try connection.execute(newLayout.creation(as: temporary))
    let count = try connection.value("SELECT count(*) FROM \(SQL.name(oldLayout.table))").int64Value ?? 0
    let total = Int(count)

    let source = try connection.prepare(oldLayout.select)
    defer { source.reset() }
    for column in oldLayout.columns { try requireColumn(column.name, of: oldLayout.table) }
    let decoder = try connection.naming { () throws(ModelError) in
      try RowDecoder(layout: oldLayout, statement: source, isOrdered: true)
    }
    let encoder = RowEncoder(layout: newLayout, statement: try connection.prepare(newLayout.insertion(into: temporary)))
    defer {
      decoder.end()
      encoder.end()
    }
    var done = 0
    while try source.step() {
      let row = try connection.naming { () throws(ModelError) in try decoder.model(old) }
      if let row = try body(row) {
        try connection.naming { () throws(ModelError) in try encoder.bind(row) }
        try encoder.statement.run()
      }
      done += 1
      if done % Self.stride == 0 || done == total {
        progress.value = .migrating(path: connection.path, to: version, rows: done, of: total)
      }
    }
    source.reset()
    try connection.execute("DROP TABLE \(SQL.name(oldLayout.table))")
    try connection.execute("ALTER TABLE \(SQL.name(temporary)) RENAME TO \(SQL.name(newLayout.table))")
  }

  private func layout<Model: StoreModel>(of model: Model.Type) throws(DatabaseError) -> ModelLayout {
    let connection = try connection
    return try connection.naming { () throws(ModelError) in try ModelLayout.of(model) }
  }
}

@available(*, unavailable)
extension Migration: Sendable {}
