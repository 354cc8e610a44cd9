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
      // The values come last, because subscribing to them starts the read.
      return merge(
        query.failures.map { ContextReadEvent.failure($0) }, query.status.map { .status($0) },
        query.map { .value($0) }
      ).eraseToAnySignal()
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
      return merge(
        row.failures.map { ContextReadEvent.failure($0) }, row.status.map { .status($0) }, row.map { .value($0) }
      ).eraseToAnySignal()
    }
  }
}
