import Signals
public import Stores

extension StandardAppContext {
  /// Returns the rows of a query in the current context's database.
  ///
  /// After each switch, the query runs in the new context.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - kind: The kind of the database.
  /// - Returns: The signal, which never ends. Its `status` and `failures` report errors.
  public func query<Model: StoreModel & Equatable>(
    _ query: Query<Model>, in kind: Store.Kind = .persistence
  ) -> ContextQuery<[Model]> {
    ContextQuery(board, kind, empty: []) { database in
      let query = database.query(query)
      return ContextReadEvent.merged(query.failures, query.status, query)
    }
  }

  /// Returns one row of the current context's database, or `nil` while no row has this key.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row.
  ///   - kind: The kind of the database.
  /// - Returns: The signal, which never ends. Its `status` and `failures` report errors.
  public func live<Model: StoreModel & Equatable>(
    _ type: Model.Type, id: Model.ID, in kind: Store.Kind = .persistence
  ) -> ContextQuery<Model?> {
    ContextQuery(board, kind, empty: nil) { database throws(DatabaseError) in
      let row = try database.live(type, id: id)
      return ContextReadEvent.merged(row.failures, row.status, row)
    }
  }
}
