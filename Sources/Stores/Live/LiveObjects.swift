import Signals

/// The live objects that somebody has, so that all who ask for a row share one.
final class LiveObjects: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let id: SQLiteValue
  }

  private struct Entry {
    weak var object: AnyObject?
  }

  private let lock = Lock()
  private var entries: [Key: Entry] = [:]
  /// How many there may be before those are forgotten whose objects are gone.
  private var limit = 64

  /// The object for a row, made if nobody has one.
  func object<Model: StoreModel>(
    _ id: Model.ID, _ make: () throws(DatabaseError) -> LiveObject<Model>
  ) throws(DatabaseError) -> LiveObject<Model> {
    let key = Key(type: ObjectIdentifier(Model.self), id: id.sqliteValue)
    if let object = lock.withLock({ entries[key]?.object as? LiveObject<Model> }) { return object }
    // Without the lock, because it reads; should two threads make one at a time, the first is kept.
    let made = try make()
    return lock.withLock {
      if let object = entries[key]?.object as? LiveObject<Model> { return object }
      if entries.count >= limit {
        entries = entries.filter { $0.value.object != nil }
        limit = max(64, 2 * entries.count)
      }
      entries[key] = Entry(object: made)
      return made
    }
  }
}
