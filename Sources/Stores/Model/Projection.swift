import FileSignals
import Signals

/// The columns from which a `Decodable` type that is not a model is decoded.
struct Projection: Sendable {
  let layout: ColumnLayout
  /// A Boolean value that indicates whether the type is decoded from the first column, whatever its name.
  let isSingle: Bool

  /// The projections that have been inferred, which takes as long as reading some rows.
  private static let known = Guarded<[ObjectIdentifier: Projection]>([:])

  /// Returns the projection to a type.
  static func of<Value: Decodable>(_ type: Value.Type) throws(ModelError) -> Projection {
    let identifier = ObjectIdentifier(type)
    if let projection = known.withLock({ $0[identifier] }) { return projection }
    let projection = try inferred(type)
    known.withLock { $0[identifier] = projection }
    return projection
  }

  private static func inferred<Value: Decodable>(_ type: Value.Type) throws(ModelError) -> Projection {
    let name = "\(type)"
    var reason = "it was never decoded"
    for samples in ProbeSamples.attempts {
      let probe = Probe(samples)
      do {
        if let (column, _) = samples.known(type) { return single(name, column) }
        _ = try Value(from: probe)
        return projection(name, probe)
      } catch {
        // A type that rejects the sample has revealed what it decodes.
        if case .single(let column) = probe.shape { return single(name, column) }
        reason = (error as? Probe.Refusal)?.reason ?? "it rejects sample values: \(clause("\(error)"))"
      }
    }
    throw .columnsNotInferable(table: name, column: nil, reason: reason)
  }

  private static func projection(_ name: String, _ probe: Probe) -> Projection {
    switch probe.shape {
    case .single(let column): single(name, column)
    case .keyed where !probe.columns.isEmpty:
      Projection(layout: ColumnLayout(table: name, columns: probe.columns), isSingle: false)
    case nil, .keyed, .unkeyed: single(name, .json)
    }
  }

  private static func single(_ name: String, _ column: ColumnType) -> Projection {
    Projection(layout: ColumnLayout(table: name, columns: [TableColumn("value", column)]), isSingle: true)
  }
}
