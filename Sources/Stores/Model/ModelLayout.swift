import FileSignals
import Signals

/// The layout of a model's table: its columns, and the statements that every model needs.
final class ModelLayout: Sendable {
  let spec: TableSpec
  /// The columns from which a model is decoded.
  let row: ColumnLayout
  let keyType: ColumnType
  /// A Boolean value that indicates whether the database assigns the key of a row that has none.
  let isKeyAssigned: Bool

  /// The statement that inserts a row or updates the one with the same key.
  ///
  /// It never replaces rows, since replaced rows would be deleted unnoticed.
  let put: String
  /// The statement that selects all columns in order, without a condition.
  let select: String
  /// The statement that selects the row with a key.
  let find: String
  /// The statement that deletes the row with a key.
  let delete: String

  /// The name of the table.
  var table: String { spec.name }

  var columns: [TableColumn] { row.columns }

  /// The index of each column, by name.
  var places: [String: Int] { row.places }

  /// Returns the statement that inserts a row into a table with another name.
  func insertion(into table: String) -> String {
    let names = columns.map { SQL.name($0.name) }.joined(separator: ", ")
    return "INSERT INTO \(SQL.name(table)) (\(names)) VALUES (\(SQL.parameters(columns.count)))"
  }

  private init(
    spec: TableSpec, columns: [TableColumn], keyType: ColumnType, isKeyAssigned: Bool
  ) throws(ModelError) {
    try Self.check(spec, columns)
    guard let key = columns.firstIndex(where: { $0.name == spec.key }) else {
      throw .invalidKey(table: spec.name, column: spec.key, reason: "the model has no such column")
    }
    if isKeyAssigned, keyType != .integer {
      throw .invalidKey(
        table: spec.name, column: spec.key, reason: "only integer keys are assigned, and this one may be nil")
    }
    var columns = columns
    // The key of a model may be nil before the row is inserted, but never in the table.
    if isKeyAssigned { columns[key] = TableColumn(spec.key, columns[key].type) }
    guard columns[key].type == keyType, !columns[key].isOptional else {
      throw .invalidKey(
        table: spec.name, column: spec.key, reason: "it holds \(columns[key].description), not the model's id"
      )
    }
    self.spec = spec
    self.keyType = keyType
    self.isKeyAssigned = isKeyAssigned
    row = ColumnLayout(table: spec.name, columns: columns, key: key)

    let table = SQL.name(spec.name)
    let names = columns.map { SQL.name($0.name) }
    let keyName = names[key]
    // A key that a collation finds equal may have other bytes.
    let isKeyChanged = spec.keyCollation != nil
    let changes = names.filter { $0 != keyName || isKeyChanged }.map { "\($0) = excluded.\($0)" }
    put =
      "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(SQL.parameters(names.count)))"
      + " ON CONFLICT (\(keyName)) DO "
      + (changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes.joined(separator: ", "))")
    select = "SELECT \(names.joined(separator: ", ")) FROM \(table)"
    find = "\(select) WHERE \(keyName) = ?"
    delete = "DELETE FROM \(table) WHERE \(keyName) = ?"
  }
}

extension TableSpec {
  /// The collation of the key, if it finds keys equal that have different bytes.
  var keyCollation: CollationName? {
    collations[key].flatMap { $0.rawValue.uppercased() == CollationName.binary.rawValue ? nil : $0 }
  }
}

extension ModelLayout {
  /// Returns a Boolean value that indicates whether two keys are those of the same row.
  func isSameKey(
    _ first: SQLiteValue, _ second: SQLiteValue, on connection: SQLiteConnection
  ) throws(DatabaseError) -> Bool {
    if first == second { return true }
    guard let collation = spec.keyCollation else { return false }
    return try connection.value("SELECT ? = ? COLLATE \(SQL.name(collation.rawValue))", [first, second]) == 1
  }

  /// The layouts that have been computed, cached because inferring one takes as long as writing a hundred rows.
  private static let known = Guarded<[ObjectIdentifier: ModelLayout]>([:])

  /// Returns the layout of a model's table.
  static func of<Model: StoreModel>(_ model: Model.Type) throws(ModelError) -> ModelLayout {
    let identifier = ObjectIdentifier(model)
    if let layout = known.withLock({ $0[identifier] }) { return layout }
    let spec = Model.table
    let columns = if let listed = spec.columns { listed } else { try inferred(model, spec) }
    let layout = try ModelLayout(
      spec: spec, columns: columns, keyType: Model.ID.keyType, isKeyAssigned: Model.ID.self is any OptionalKey.Type)
    for column in Model.columnNames.values.sorted() { _ = try layout.row.place(of: column) }
    known.withLock { $0[identifier] = layout }
    return layout
  }

  /// Returns the columns that a model decodes.
  private static func inferred<Model: StoreModel>(
    _ model: Model.Type, _ spec: TableSpec
  ) throws(ModelError) -> [TableColumn] {
    var failure: ModelError?
    for samples in ProbeSamples.attempts {
      let probe = Probe(samples)
      do {
        _ = try Model(from: probe)
        guard probe.shape == .keyed else {
          throw ModelError.columnsNotInferable(
            table: spec.name, column: nil, reason: "\(Model.self) has no coding keys")
        }
        return probe.columns
      } catch let error as ModelError {
        failure = failure ?? error
      } catch {
        let reason = (error as? Probe.Refusal)?.reason ?? "\(Model.self) rejects sample values: \(clause("\(error)"))"
        failure = failure ?? .columnsNotInferable(table: spec.name, column: probe.asked, reason: reason)
      }
    }
    throw failure ?? .columnsNotInferable(table: spec.name, column: nil, reason: "it was never decoded")
  }

  /// Rejects names that SQLite would misinterpret, and indexes over columns that do not exist.
  private static func check(_ spec: TableSpec, _ columns: [TableColumn]) throws(ModelError) {
    var seen: Set<String> = []
    for name in [spec.name] + columns.map(\.name) {
      if let reason = SQL.refusal(of: name) { throw .invalidName(table: spec.name, name: name, reason: reason) }
    }
    for column in columns where !seen.insert(column.name.lowercased()).inserted {
      throw .invalidName(table: spec.name, name: column.name, reason: "two columns have this name, apart from case")
    }
    try spec.checkConstraints(columns)
  }
}

/// The columns from which a type is decoded.
final class ColumnLayout: Sendable {
  /// The name that errors contain: the table, or the type.
  let table: String
  let columns: [TableColumn]
  /// The index of each column, by name.
  let places: [String: Int]
  /// The index of the key's column, if there is one.
  let key: Int?

  init(table: String, columns: [TableColumn], key: Int? = nil) {
    self.table = table
    self.columns = columns
    self.key = key
    places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  /// Returns the index of a column.
  func place(of column: String) throws(ModelError) -> Int {
    guard let place = places[column] else {
      throw .unknownColumn(table: table, column: column, known: columns.map(\.name))
    }
    return place
  }
}
