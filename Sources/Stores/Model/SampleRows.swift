/// Invented rows of a model, from which the columns of its properties are found.
///
/// The first rows differ in all columns, and each of the others differs from the first in one column.
final class SampleRows<Model: StoreModel>: Sendable {
  struct Row: Sendable {
    let model: Model
    /// The cells that the model has decoded, by the index of their column.
    let decoded: [Int: SQLiteValue]
    /// The cells that the model encodes.
    let encoded: [SQLiteValue]
  }

  let rows: [Row]
  /// The columns of which the model rejected a value.
  let rejected: Set<Int>

  /// A Boolean value that indicates whether each column has different values in different rows.
  let areComplete: Bool

  /// Decodes the rows.
  ///
  /// - Throws: The reason why the model cannot be decoded from any of them.
  init(_ cells: SampleCells) throws {
    let layout = cells.layout
    var rows: [Row] = []
    var rejected: Set<Int> = []
    var firstFailure: (any Error)?
    // The first row that the model accepts is the base of the others.
    var base: (samples: ProbeSamples, probe: Probe)?
    for samples in ProbeSamples.rows {
      let probe = Probe(samples, isRow: true)
      do {
        rows.append(try cells.row(probe))
        base = base ?? (samples, probe)
      } catch {
        firstFailure = firstFailure ?? error
      }
    }
    guard let base else { throw firstFailure ?? CancellationError() }
    for (place, column) in layout.columns.enumerated() {
      let count = max(ProbeSamples.rows.count, min(base.probe.caseCounts[column.name] ?? 0, 64))
      var samples: [ProbeSamples?] = (0..<count).map(ProbeSamples.row)
      if column.isOptional { samples.append(nil) }
      for samples in samples {
        do {
          rows.append(try cells.row(Probe(base.samples, except: (column.name, samples), isRow: true)))
        } catch {
          // A null that the model rejects is not stored.
          if samples != nil { rejected.insert(place) }
        }
      }
    }
    self.rows = rows
    self.rejected = rejected
    areComplete = layout.columns.indices.allSatisfy { place in
      Set(rows.map { $0.decoded[place] }).count != 1 || rows[0].decoded[place] == nil
    }
  }
}

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
