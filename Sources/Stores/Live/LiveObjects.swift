import Signals

/// The live objects in use.
///
/// All callers that ask for the same row share one object.
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
    /// The number of entries that triggers the removal of released objects.
    var limit = 64
  }

  private let state = Guarded(State())

  /// Returns the object for a row, and creates it if there is none.
  func object<Model: StoreModel>(
    _ id: Model.ID, _ make: () throws(DatabaseError) -> LiveObject<Model>
  ) throws(DatabaseError) -> LiveObject<Model> {
    let key = Key(type: ObjectIdentifier(Model.self), id: id.sqliteValue)
    if let object = state.withLock({ $0.entries[key]?.object as? LiveObject<Model> }) { return object }
    // This runs without the lock, because it reads. If two threads create an object at once, the first one is kept.
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
