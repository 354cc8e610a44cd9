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
  /// - Parameter query: The query. It runs again when a row of its table has changed, and its result is sent if it is
  ///   different. If its condition names keys, as in `Person.where { $0.id == 7 }`, only changes of their rows count.
  ///   A thousand such queries therefore cost a writer no more than the ones for the rows that it changes.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func query<Model: StoreModel & Equatable>(_ query: Query<Model>) -> LiveQuery<[Model]> {
    live(query, isSame: ==)
  }

  /// Returns the rows of a query, now and after each change of its table.
  ///
  /// Models that are not `Equatable` cannot be compared, so rows are sent after each change of the table, even if they
  /// are equal.
  ///
  /// - Parameter query: The query.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  @_disfavoredOverload
  public func query<Model: StoreModel>(_ query: Query<Model>) -> LiveQuery<[Model]> {
    live(query, isSame: { _, _ in false })
  }

  private func live<Model: StoreModel>(
    _ query: Query<Model>, isSame: @escaping @Sendable ([Model], [Model]) -> Bool
  ) -> LiveQuery<[Model]> {
    LiveQuery(
      database: self,
      region: { database throws(DatabaseError) in try database.region(of: query) },
      read: { transaction throws(DatabaseError) in try transaction.all(query) },
      isSame: isSame,
      empty: { _ in [] }
    )
  }

  /// Returns the rows that a query depends on.
  private func region<Model: StoreModel>(of query: Query<Model>) throws(DatabaseError) -> ObservedRegion {
    guard let source = query.source else {
      let layout: ModelLayout
      do throws(ModelError) {
        layout = try ModelLayout.of(Model.self)
      } catch {
        throw .model(error, path: location.path)
      }
      guard let keys = query.keys(in: layout) else { return .tables([Model.table.name]) }
      return try region(of: Model.self, keys: keys)
    }
    let traits = try readValue { transaction throws(DatabaseError) in
      try transaction.withStatement(source.sql) { $0.traits }
    }
    return traits.readsElsewhere ? .everything : .tables(traits.readTables)
  }

  /// Returns the result of a read, now and after each change of the tables that it depends on.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables, in any spelling that SQLite accepts; an empty set stands for all. If a table
  ///     does not exist, nothing is read until it is created, and the signal's `failures` and `status` report
  ///     ``DatabaseError/noSuchTable(_:path:known:)``.
  ///   - read: A closure that reads with the given transaction, and uses nothing else. If the database follows a
  ///     ``/AppGroups/Scope``, it is also called while the contents are swapped. If it fails then, subscribers receive
  ///     its result in an empty database with the same schema. Without a schema, they keep the last value.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func observe<Element: Equatable & Sendable>(
    _ tables: Set<String>, _ read: @escaping @Sendable (ReadTransaction) throws(DatabaseError) -> Element
  ) -> LiveQuery<Element> {
    LiveQuery(
      database: self,
      region: { database throws(DatabaseError) in
        tables.isEmpty ? .everything : .tables(try database.spelling(of: tables))
      },
      read: read,
      isSame: ==,
      empty: { database in database.valueOfEmptyDatabase(read) }
    )
  }

  /// Returns the result of a read in an empty database with the same schema, or `nil` if the read fails there too.
  private func valueOfEmptyDatabase<Element>(
    _ read: (ReadTransaction) throws(DatabaseError) -> Element
  ) -> Element? {
    guard let schema = file.schema else { return nil }
    do {
      return try Database(.memory, schema: schema).readValue(read)
    } catch {
      return nil
    }
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
    try objects.object(id) { () throws(DatabaseError) in try LiveObject(self, id: id, isSame: ==) }
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
    try objects.object(id) { () throws(DatabaseError) in try LiveObject(self, id: id, isSame: { _, _ in false }) }
  }
}
