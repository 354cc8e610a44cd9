import Signals
public import Stores

extension StandardAppContext {
  /// The rows of a query in a database of the current context, whichever that is: it is asked anew after each switch.
  ///
  /// - Parameters:
  ///   - query: What to read.
  ///   - kind: In which of the databases.
  /// - Returns: The signal, which never ends; its `status` and `failures` tell what keeps it from being read.
  public func query<Model: StoreModel & Equatable>(
    _ query: Query<Model>, in kind: Store.Kind = .persistence
  ) -> ContextQuery<[Model]> {
    ContextQuery(board, kind, empty: []) { database in
      let query = database.query(query)
      // The values last: subscribing to them reads.
      return merge(
        query.failures.map { ContextReadEvent.failure($0) }, query.status.map { .status($0) },
        query.map { .value($0) }
      ).eraseToAnySignal()
    }
  }

  /// One row of a database of the current context, whichever that is; `nil` if it has none with this key.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row.
  ///   - kind: In which of the databases.
  /// - Returns: The signal, which never ends; its `status` and `failures` tell what keeps it from being read.
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
