import Signals

extension Database {
  /// The rows of a query, now and after each change.
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
  /// let people = database.query(Person.ordered(by: "name"))
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
  /// - Parameter query: What to read. It is read again when any row of its table has changed, and sent if it is
  ///   different. If its condition names keys, as in `Person.where("id", .equal, 7)`, only changes of their rows count,
  ///   so a thousand such queries cost a writer no more than those of the rows that it changes.
  /// - Returns: The signal; nothing is read until it is subscribed to.
  public func query<Model: StoreModel & Equatable>(_ query: Query<Model>) -> LiveQuery<[Model]> {
    live(query, isSame: ==)
  }

  /// The rows of a query, now and after each change of its table.
  ///
  /// Models that are not `Equatable` cannot be compared, so rows are sent after each change of the table, even if they
  /// are the same.
  ///
  /// - Parameter query: What to read.
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

  /// The rows that a query depends on.
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
    let tables = try readValue { transaction throws(DatabaseError) in
      try transaction.withStatement(source.sql) { $0.traits.readTables }
    }
    // A statement of which SQLite names no table may depend on any.
    return tables.isEmpty ? .everything : .tables(tables)
  }

  /// What a read gives, now and after each change of the tables it depends on.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables, in any spelling that SQLite accepts; an empty set stands for all. If one does
  ///     not exist, nothing is read before it does, and the signal's `failures` and `status` tell
  ///     ``DatabaseError/noSuchTable(_:path:known:)``.
  ///   - read: Reads with the transaction that it is given, and uses nothing else. If the database follows a
  ///     ``/AppGroups/Scope``, the read is called while the contents are swapped, too. Should it fail then, subscribers
  ///     receive its result in an empty database with the same schema. Without a schema they keep the last value.
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

  /// The result of a read in an empty database with the same schema; `nil` if the read fails there, too.
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

  /// One row, as it is now.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row, which need not exist.
  /// - Returns: The object; the same for all who ask, as long as somebody has it.
  /// - Throws: ``DatabaseError`` if the row cannot be read now.
  public func live<Model: StoreModel & Equatable>(
    _ type: Model.Type, id: Model.ID
  ) throws(DatabaseError) -> LiveObject<Model> {
    try objects.object(id) { () throws(DatabaseError) in try LiveObject(self, id: id, isSame: ==) }
  }

  /// One row, as it is now; sent after each write of the row, even if that is the same, since it cannot be compared.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row, which need not exist.
  /// - Returns: The object; the same for all who ask, as long as somebody has it.
  /// - Throws: ``DatabaseError`` if the row cannot be read now.
  @_disfavoredOverload
  public func live<Model: StoreModel>(_ type: Model.Type, id: Model.ID) throws(DatabaseError) -> LiveObject<Model> {
    try objects.object(id) { () throws(DatabaseError) in try LiveObject(self, id: id, isSame: { _, _ in false }) }
  }
}
