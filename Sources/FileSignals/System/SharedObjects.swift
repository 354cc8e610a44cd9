import Signals

/// The objects that all callers with an equal key share, for as long as anything keeps them alive.
package final class SharedObjects<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
  private struct Entry {
    weak var object: Object?
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// The number of entries that triggers the removal of released objects.
    var limit = 64
  }

  private let state = Guarded(State())

  package init() {}

  /// The object of a key, while there is one.
  package subscript(key: Key) -> Object? { state.withLock { $0.entries[key]?.object } }

  /// Returns the object of a key, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - isUsable: A closure that returns `false` for an object that a new one replaces; called with a lock held.
  ///   - make: Creates the object, with no lock held. If two threads create one at once, the first one is used.
  /// - Returns: The object.
  /// - Throws: The error of `make`.
  package func object<Failure: Error>(
    of key: Key, where isUsable: (Object) -> Bool = { _ in true }, orMake make: () throws(Failure) -> Object
  ) throws(Failure) -> Object {
    if let object = self[key], isUsable(object) { return object }
    let made = try make()
    return state.withLock { state in
      if let object = state.entries[key]?.object, isUsable(object) { return object }
      if state.entries.count >= state.limit {
        state.entries = state.entries.filter { $0.value.object != nil }
        state.limit = max(64, 2 * state.entries.count)
      }
      state.entries[key] = Entry(object: made)
      return made
    }
  }
}
