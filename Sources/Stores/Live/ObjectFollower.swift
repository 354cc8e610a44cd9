import Signals

/// A follower that keeps a model up to date with its row, for as long as the follower is retained.
final class ObjectFollower<Model: StoreModel>: Sendable {
  let health: ReadHealth
  let database: Database
  private let tracked: TrackedRead<Model>

  var model: MutableProperty<Model?> { tracked.values }

  /// Reads the row, and follows its changes.
  init(
    _ database: Database, id: Model.ID, isSame: @escaping @Sendable (Model, Model) -> Bool
  ) throws(DatabaseError) {
    let health = ReadHealth()
    (self.health, self.database) = (health, database)
    let body = TrackedRead<Model>.Body(
      read: { try $0.find(Model.self, id: id) }, isSame: isSame, empty: { _ in nil })
    // The database retains the read, which does not retain this object.
    tracked = TrackedRead(database, health, on: nil, body)
    tracked.start(.immediate)
    if let failure = health.status.value.failure {
      tracked.end()
      throw failure
    }
  }

  deinit {
    tracked.end()
  }
}
