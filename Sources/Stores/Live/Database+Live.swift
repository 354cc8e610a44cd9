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
  /// Models that are not `Equatable` cannot be compared, so rows are sent after each change of the table, even if they
  /// are equal.
  ///
  /// - Parameters:
  ///   - query: The query. It runs again when a row of its table has changed, and its result is sent if it is different.
  ///   - scheduling: The time and place of the first read.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func query<Model: StoreModel>(
    _ query: Query<Model>, scheduling: LiveQueryScheduling = .immediate
  ) -> LiveQuery<[Model]> {
    LiveQuery(self, scheduling, .init(read: { try $0.all(query) }, empty: { _ in [] }))
  }

  /// Returns the live object of one row.
  ///
  /// If the model is not `Equatable`, it cannot be compared, so the object sends each write of the row.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row, which need not exist.
  /// - Returns: The object. All callers share one object as long as it is retained.
  /// - Throws: ``DatabaseError`` if the row cannot be read now.
  public func live<Model: StoreModel>(_ type: Model.Type, id: Model.ID) throws(DatabaseError) -> LiveObject<Model> {
    let row = LiveRow(type: ObjectIdentifier(Model.self), id: id.sqliteValue)
    let object = try objects.object(of: row) { () throws(DatabaseError) in try LiveObject<Model>(self, id: id) }
    // Sound: the key contains the type of the model.
    return unsafeDowncast(object, to: LiveObject<Model>.self)
  }
}

/// A row by which live objects are shared.
struct LiveRow: Hashable, Sendable {
  let type: ObjectIdentifier
  let id: SQLiteValue
}
