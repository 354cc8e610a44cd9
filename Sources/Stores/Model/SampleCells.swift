/// The cells that values become when they are stored, found by a statement that returns its parameters.
final class SampleCells {
  let layout: ModelLayout
  private let connection: SQLiteConnection
  private let encoder: RowEncoder

  /// Prepares the statement on a connection, whose file is not used.
  init(layout: ModelLayout) throws(DatabaseError) {
    self.layout = layout
    connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .zero)
    encoder = RowEncoder(
      layout: layout.row, statement: try connection.prepare("SELECT \(SQL.parameters(layout.columns.count))"))
  }

  /// Decodes a model, and returns it with the cells that it has decoded.
  func row<Model: StoreModel>(_ probe: Probe) throws -> SampleRows<Model>.Row {
    let model = try Model(from: probe)
    var cells: [Int: SQLiteValue] = [:]
    for (column, value) in probe.supplied {
      guard let place = layout.places[column] else { continue }
      cells[place] = try value.map { try cell($0, at: place) } ?? .null
    }
    return SampleRows.Row(model: model, decoded: cells, encoded: try encoded(model))
  }

  /// Returns the cell of a value in a column.
  func cell(_ value: Any, at place: Int) throws -> SQLiteValue {
    guard let value = value as? any Encodable else { throw NotEncodable() }
    encoder.statement.clearBindings()
    try encoder.bind(value, at: place)
    defer { encoder.statement.reset() }
    return try encoder.statement.step() ? encoder.statement.value(at: Int32(place)) : .null
  }

  /// Returns the cells that a model encodes.
  private func encoded(_ model: some StoreModel) throws -> [SQLiteValue] {
    try encoder.bind(model)
    defer { encoder.statement.reset() }
    guard try encoder.statement.step() else { return [] }
    return layout.columns.indices.map { encoder.statement.value(at: Int32($0)) }
  }

  deinit {
    encoder.end()
  }

  private struct NotEncodable: Error {}
}
