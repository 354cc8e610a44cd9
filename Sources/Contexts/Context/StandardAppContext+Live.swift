public import Signals
public import Stores

extension StandardAppContext {
  /// The rows of a query in a database of the current context, whichever that is: it is asked anew after each switch.
  ///
  /// - Parameters:
  ///   - query: What to read.
  ///   - kind: In which of the databases.
  /// - Returns: The signal; it fails if a database cannot be opened or read.
  public func query<Model: StoreModel & Equatable>(
    _ query: Query<Model>, in kind: Store.Kind = .persistence
  ) -> some Signal<[Model], DatabaseError> {
    follow(kind) { $0.query(query).eraseToAnySignal() }
  }

  /// One row of a database of the current context, whichever that is; `nil` if it has none with this key.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row.
  ///   - kind: In which of the databases.
  /// - Returns: The signal; it fails if a database cannot be opened or read.
  public func live<Model: StoreModel & Equatable>(
    _ type: Model.Type, id: Model.ID, in kind: Store.Kind = .persistence
  ) -> some Signal<Model?, DatabaseError> {
    follow(kind) { database throws(DatabaseError) in
      try database.live(type, id: id).setFailureType(to: DatabaseError.self).eraseToAnySignal()
    }
  }

  private func follow<Element: Sendable>(
    _ kind: Store.Kind,
    _ read: @escaping @Sendable (Database) throws(DatabaseError) -> AnySignal<Element, DatabaseError>
  ) -> some Signal<Element, DatabaseError> {
    current.setFailureType(to: DatabaseError.self).flatMapLatest { [current] context in
      // Whoever is busy with the last switch on another thread may learn of this one after its databases are closed.
      let rest = { @Sendable (error: DatabaseError) -> AnySignal<Element, DatabaseError> in
        if case .closed = error, current.value != context { return .never() }
        return .fail(error)
      }
      do throws(DatabaseError) {
        return try read(context.store.database(kind)).catch(rest).eraseToAnySignal()
      } catch {
        return rest(error)
      }
    }
  }
}
