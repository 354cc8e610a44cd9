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

extension Database {
  /// Returns the result of any read, now and after each change of the data that it has read.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Person: StoreModel, Equatable {
  ///   static let table = TableSpec("person")
  ///   var id: Int
  ///   var city: String
  /// }
  ///
  /// struct Summary: Equatable {
  ///   var people: Int
  ///   var cities: Int64?
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// let summaries = database.observe { transaction in
  ///   Summary(
  ///     people: try transaction.count(Person.self),
  ///     cities: try transaction.value("SELECT count(DISTINCT city) FROM person").int64Value)
  /// }
  /// let summary = summaries.property(initial: Summary(people: 0))
  /// print(summary.value)  // Prints "Summary(people: 0, cities: Optional(0))"
  /// ```
  ///
  /// - **Changes.** Each read records the tables and keys that it reads, whatever statement reads them. So a closure that
  ///   takes another branch is followed. Reads of rows by key, and queries whose condition names keys, depend only on
  ///   the rows with these keys.
  /// - **Purity.** The result must depend only on the transaction and on constants. If it depends on anything else, the
  ///   query cannot detect changes of that.
  /// - **Consistency.** All statements of the closure see one moment. Equal results are not sent. Results that are not
  ///   `Equatable` cannot be compared, so one is sent after each change.
  /// - **Failure.** An error that the closure throws is a failure of the query, which keeps the last value and continues
  ///   with the next change. An error of another type than ``DatabaseError`` is reported as
  ///   ``DatabaseError/failedRead(_:path:)``.
  /// - **Switches.** If the database follows a ``/AppGroups/Scope``, the closure is also called while the contents are
  ///   switched. If it fails then, subscribers receive its result in an empty database with the same schema. Without a
  ///   schema, they keep the last value.
  ///
  /// - Parameters:
  ///   - scheduling: The time and place of the first read.
  ///   - read: A closure that reads with the given transaction.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func observe<Element: Sendable>(
    scheduling: LiveQueryScheduling = .immediate, _ read: @escaping @Sendable (ReadTransaction) throws -> Element
  ) -> LiveQuery<Element> {
    LiveQuery(self, scheduling, .init(read: read, empty: { $0.valueOfEmptyDatabase(read) }))
  }

  /// Returns the result of a read in an empty database with the same schema, or `nil` if the read fails there too.
  private func valueOfEmptyDatabase<Element>(_ read: (ReadTransaction) throws -> Element) -> Element? {
    guard let schema = file.schema else { return nil }
    return tolerating(else: nil) {
      let (functions, collations) = (file.extensions.functions, file.extensions.collations)
      return try Database(.memory, schema: schema, functions: functions, collations: collations).read(read)
    }
  }
}
