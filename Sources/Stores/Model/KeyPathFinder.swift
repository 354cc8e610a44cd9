import FileSignals

/// The search for the column of a property.
///
/// A property is a column if its value is the one that the column has in every invented row, among them rows that
/// differ in this column only, and rows that do not differ in it.
struct KeyPathFinder<Model: StoreModel, Value> {
  let keyPath: KeyPath<Model, Value>

  /// Returns the column.
  func reference() throws(ModelError) -> ColumnReference {
    let layout = try ModelLayout.of(Model.self)
    if let listed = Model.columnNames[keyPath] { return .named(listed, place: layout.places[listed]) }
    // In generic code, this is the requirement of the protocol, which differs from the model's own property.
    if keyPath == \Model.id { return .named(layout.spec.key, place: layout.row.key) }
    let cells: SampleCells
    let samples: SampleRows<Model>
    do {
      cells = try SampleCells(layout: layout)
      samples = try KeyPathColumns.samples(of: Model.self, cells)
    } catch {
      throw failure(layout, "\(Model.self) rejects invented rows: \(clause("\(error)"))")
    }
    let place = try place(in: samples, cells)
    return .named(layout.columns[place].name, place: place)
  }

  /// A Boolean value that indicates whether the property is stored, and cannot be computed.
  private var isStored: Bool { MemoryLayout<Model>.offset(of: keyPath) != nil }

  private func place(in samples: SampleRows<Model>, _ cells: SampleCells) throws(ModelError) -> Int {
    let layout = cells.layout
    let acceptsNull = !isStored || Value.self is any ExpressibleByNilLiteral.Type
    var places = Array(layout.columns.indices)
    for row in samples.rows where !places.isEmpty {
      let value = row.model[keyPath: keyPath]
      places = places.filter { place in
        // A stored property that is not optional has a default for null.
        if row.decoded[place] == .null, !acceptsNull { return true }
        return holds(value, at: place, in: row, cells)
      }
    }
    guard let place = places.first else {
      throw failure(layout, "in invented rows, it is not always the value of one column, as it is or as it is encoded")
    }
    let values = Set(samples.rows.compactMap { $0.decoded[place] })
    guard places.count == 1, values.count > 1 else {
      throw failure(layout, "invented rows do not show which column it is")
    }
    guard isStored || (samples.areComplete && !samples.rejected.contains(place)) else {
      throw failure(layout, "it may be computed, and \(Model.self) cannot be decoded from enough invented rows")
    }
    return place
  }

  /// Returns whether a value is the one of a column in a row.
  private func holds(_ value: Value, at place: Int, in row: SampleRows<Model>.Row, _ cells: SampleCells) -> Bool {
    guard let decoded = row.decoded[place], row.encoded[place] == decoded else { return false }
    do {
      guard try cells.cell(value, at: place) == decoded else { return false }
    } catch {
      return false
    }
    // Conditions use this value.
    guard let value = value as? any SQLiteConvertible else { return true }
    return value.sqliteValue == decoded
  }

  private func failure(_ layout: ModelLayout, _ reason: String) -> ModelError {
    .notAColumn(table: layout.table, keyPath: "\(keyPath)", reason: reason)
  }
}
