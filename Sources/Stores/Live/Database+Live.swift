import FileSignals
import Signals

extension Database {
  /// Returns the rows of a query, now and after each change.
  ///
  /// ```swift
  /// import Dispatch
  /// import Signals
  /// import Stores
  ///
  /// struct Person: StoreModel, Equatable {
  ///   static let table = TableSpec("person")
  ///   var id: Int
  ///   var name: String
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// let seen = DispatchSemaphore(value: 0)
  /// let people = database.query(Person.ordered { $0.name })
  /// let subscription = people.sink { people in
  ///   print(people.map(\.name))
  ///   seen.signal()
  /// }
  /// seen.wait()  // Prints "[]"
  /// try database.write { try $0.put([Person(id: 1, name: "Grace"), Person(id: 2, name: "Ada")]) }
  /// seen.wait()  // Prints "["Ada", "Grace"]"
  /// subscription.cancel()
  /// ```
  ///
  /// If the condition names keys, as in `Person.where { $0.id == 7 }`, only changes of their rows count. A thousand
  /// such queries therefore cost a writer no more than the ones for the rows that it changes.
  ///
  /// - Parameters:
  ///   - query: The query. It runs again when a row of its table has changed, and its result is sent if it is different.
  ///   - scheduling: The time and place of the first read.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func query<Model: StoreModel & Equatable>(
    _ query: Query<Model>, scheduling: LiveQueryScheduling = .immediate
  ) -> LiveQuery<[Model]> {
    LiveQuery(self, scheduling, .init(read: { try $0.all(query) }, isSame: ==, empty: { _ in [] }))
  }

  /// Returns the rows of a query, now and after each change of its table.
  ///
  /// Models that are not `Equatable` cannot be compared, so rows are sent after each change of the table, even if they
  /// are equal.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scheduling: The time and place of the first read.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  @_disfavoredOverload
  public func query<Model: StoreModel>(
    _ query: Query<Model>, scheduling: LiveQueryScheduling = .immediate
  ) -> LiveQuery<[Model]> {
    LiveQuery(self, scheduling, .init(read: { try $0.all(query) }, isSame: { _, _ in false }, empty: { _ in [] }))
  }

  /// Returns the live object of one row.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row, which need not exist.
  /// - Returns: The object. All callers share one object as long as it is retained.
  /// - Throws: ``DatabaseError`` if the row cannot be read now.
  public func live<Model: StoreModel & Equatable>(
    _ type: Model.Type, id: Model.ID
  ) throws(DatabaseError) -> LiveObject<Model> {
    try live(id, isSame: ==)
  }

  /// Returns the live object of one row.
  ///
  /// It sends each write of the row, because the model cannot be compared.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row, which need not exist.
  /// - Returns: The object. All callers share one object as long as it is retained.
  /// - Throws: ``DatabaseError`` if the row cannot be read now.
  @_disfavoredOverload
  public func live<Model: StoreModel>(_ type: Model.Type, id: Model.ID) throws(DatabaseError) -> LiveObject<Model> {
    try live(id, isSame: { _, _ in false })
  }

  private func live<Model: StoreModel>(
    _ id: Model.ID, isSame: @escaping @Sendable (Model, Model) -> Bool
  ) throws(DatabaseError) -> LiveObject<Model> {
    let row = LiveRow(type: ObjectIdentifier(Model.self), id: id.sqliteValue)
    let object = try objects.object(of: row) { () throws(DatabaseError) in
      try LiveObject<Model>(self, id: id, isSame: isSame)
    }
    // Sound: the key contains the type of the model.
    return unsafeDowncast(object, to: LiveObject<Model>.self)
  }
}

/// A row by which live objects are shared.
struct LiveRow: Hashable, Sendable {
  let type: ObjectIdentifier
  let id: SQLiteValue
}
