import FileSignals
import Signals

/// The columns of key paths, each of which is found once.
@usableFromInline
enum KeyPathColumns: Sendable {
  /// A key path by its value.
  private struct Path: Hashable, Sendable {
    let keyPath: any AnyKeyPath & Sendable

    static func == (left: Path, right: Path) -> Bool {
      (left.keyPath as AnyKeyPath) == (right.keyPath as AnyKeyPath)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(keyPath as AnyKeyPath)
    }
  }

  private struct State {
    /// The columns by the identity of the key path, which is retained by the entry.
    ///
    /// A literal is the same object each time, and its hash takes longer than this lookup.
    var byIdentity: [ObjectIdentifier: (keyPath: Path, column: ColumnReference)] = [:]
    var byPath: [Path: ColumnReference] = [:]
  }

  private static let state = Guarded(State())
  /// The largest number of identities, which are unlimited if a program appends key paths.
  private static let identityLimit = 4_096

  /// Returns the column of a property.
  @usableFromInline
  static func reference<Model: StoreModel, Value>(
    to keyPath: any KeyPath<Model, Value> & Sendable
  ) -> ColumnReference {
    let identity = ObjectIdentifier(keyPath)
    if let known = state.withLock({ $0.byIdentity[identity]?.column }) { return known }
    let path = Path(keyPath: keyPath)
    let column = state.withLock { $0.byPath[path] } ?? find(keyPath)
    state.withLock { state in
      state.byPath[path] = column
      if state.byIdentity.count < identityLimit { state.byIdentity[identity] = (path, column) }
    }
    return column
  }

  private static func find<Model: StoreModel, Value>(_ keyPath: KeyPath<Model, Value>) -> ColumnReference {
    do throws(ModelError) {
      return try KeyPathFinder(keyPath: keyPath).reference()
    } catch {
      return .unknown(keyPath: "\(keyPath)", error)
    }
  }

  /// The invented rows of the models, by model.
  private static let samples = Guarded<[ObjectIdentifier: any Sendable]>([:])

  /// Returns the invented rows of a model.
  static func samples<Model: StoreModel>(
    of model: Model.Type, _ cells: SampleCells
  ) throws -> SampleRows<Model> {
    let identifier = ObjectIdentifier(model)
    if let known = samples.withLock({ $0[identifier] }) as? SampleRows<Model> { return known }
    let rows = try SampleRows<Model>(cells)
    samples.withLock { $0[identifier] = rows }
    return rows
  }
}

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
