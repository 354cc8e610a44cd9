import Signals

/// A follower that keeps a model up to date with its row, for as long as the follower is retained.
final class ObjectFollower<Model: StoreModel>: Sendable {
  let health: ReadHealth
  private let database: Database
  private let id: Model.ID
  private let tracked: TrackedRead<Model?>

  var model: MutableProperty<Model?> { tracked.value }

  /// Reads the row, and follows its changes.
  init(
    _ database: Database, id: Model.ID, isSame: @escaping @Sendable (Model, Model) -> Bool
  ) throws(DatabaseError) {
    let health = ReadHealth()
    (self.health, self.database, self.id) = (health, database, id)
    let body = TrackedRead<Model?>.Body(
      read: { transaction in try transaction.find(Model.self, id: id) },
      isSame: { first, second in
        guard let first, let second else { return first == nil && second == nil }
        return isSame(first, second)
      },
      empty: { _ in nil })
    // The database retains the read, which does not retain this object.
    tracked = TrackedRead(nil, database, health, on: nil, body)
    tracked.start()
    if let failure = health.status.value.failure {
      tracked.end()
      throw failure
    }
  }

  deinit {
    tracked.end()
  }

  func update<Result>(_ body: (inout Model) throws -> Result) throws -> Result? {
    let id = id
    return try database.write { transaction in
      guard var model = try transaction.find(Model.self, id: id) else { return nil }
      let result = try body(&model)
      let connection = try transaction.connection
      let layout = try ModelStatements<Model>.of(connection).layout
      guard try layout.isSameKey(id.sqliteValue, model.id.sqliteValue, on: connection) else {
        stop(
          because: "An update changed the key of a live object; put a model with the new key, and delete this one")
      }
      try transaction.put(model)
      return result
    }
  }
}
