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
