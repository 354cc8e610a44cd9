import Signals

/// The live objects that somebody has, so that all who ask for a row share one.
final class LiveObjects: Sendable {
  private struct Key: Hashable, Sendable {
    let type: ObjectIdentifier
    let id: SQLiteValue
  }

  private struct Entry {
    weak var object: (any AnyObject & Sendable)?
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// The number of entries at which those are removed whose objects are gone.
    var limit = 64
  }

  private let state = Guarded(State())

  /// The object for a row, made if nobody has one.
  func object<Model: StoreModel>(
    _ id: Model.ID, _ make: () throws(DatabaseError) -> LiveObject<Model>
  ) throws(DatabaseError) -> LiveObject<Model> {
    let key = Key(type: ObjectIdentifier(Model.self), id: id.sqliteValue)
    if let object = state.withLock({ $0.entries[key]?.object as? LiveObject<Model> }) { return object }
    // Without the lock, because it reads; should two threads make one at a time, the first is kept.
    let made = try make()
    return state.withLock { state in
      if let object = state.entries[key]?.object as? LiveObject<Model> { return object }
      if state.entries.count >= state.limit {
        state.entries = state.entries.filter { $0.value.object != nil }
        state.limit = max(64, 2 * state.entries.count)
      }
      state.entries[key] = Entry(object: made)
      return made
    }
  }
}
