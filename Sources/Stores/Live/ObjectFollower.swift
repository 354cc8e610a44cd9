import Signals

/// Keeps the model of one row in step with the row, for as long as somebody has this object.
final class ObjectFollower<Model: StoreModel>: Sendable {
  private let refresher: ObjectRefresher<Model>

  var model: MutableProperty<Model?> { refresher.model }
  var failures: Emitter<DatabaseError, Never> { refresher.failures }

  /// Reads the row, and follows it from then on.
  init(
    _ database: Database, id: Model.ID, isSame: @escaping @Sendable (Model, Model) -> Bool
  ) throws(DatabaseError) {
    refresher = try ObjectRefresher(database, id: id, isSame: isSame)
    try refresher.start()
  }

  deinit {
    refresher.end()
  }

  func update<Result>(_ body: (inout Model) throws -> Result) throws -> Result? {
    let id = refresher.id
    return try refresher.database.write { transaction in
      guard var model = try transaction.find(Model.self, id: id) else { return nil }
      let result = try body(&model)
      guard model.id.sqliteValue == id.sqliteValue else {
        stop(
          because: "A live object's key was changed in its update; put a model with the other key, and delete this one")
      }
      try transaction.put(model)
      return result
    }
  }
}

/// What the database knows a follower by.
private final class ObjectRefresher<Model: StoreModel>: RegionObserver, Sendable {
  let model = MutableProperty<Model?>(nil)
  let failures = Emitter<DatabaseError, Never>()
  let database: Database
  let id: Model.ID
  private let isSame: @Sendable (Model, Model) -> Bool
  private let region: ObservedRegion
  private let refreshing = Refreshing()

  init(_ database: Database, id: Model.ID, isSame: @escaping @Sendable (Model, Model) -> Bool) throws(DatabaseError) {
    self.database = database
    self.id = id
    self.isSame = isSame
    region = try database.region(of: Model.self, keys: [id.sqliteValue])
  }

  func start() throws(DatabaseError) {
    _ = refreshing.demand()
    database.follow(region, self)
    var failure: DatabaseError?
    let isMoreDue = refreshing.runOnce {
      do throws(DatabaseError) { model.value = try find() } catch { failure = error }
    }
    if let failure {
      end()
      throw failure
    }
    if isMoreDue { refreshing.run(look) }
    // What a transaction sees may be older than the last commit, or never be committed.
    database.afterTransaction { [self] in regionDidChange() }
  }

  func end() {
    refreshing.end()
    database.regions.remove(self, region)
  }

  func regionDidChange() {
    if refreshing.demand() { refreshing.run(look) }
  }

  private func look() {
    do throws(DatabaseError) {
      let new = try find()
      switch (model.value, new) {
      case (nil, nil): return
      case (let old?, let new?) where isSame(old, new): return
      default: model.value = new
      }
    } catch {
      failures.send(error)
    }
  }

  private func find() throws(DatabaseError) -> Model? {
    let id = id
    return try database.readValue { transaction throws(DatabaseError) in try transaction.find(Model.self, id: id) }
  }
}
