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
    current.setFailureType(to: DatabaseError.self).flatMapLatest { context -> AnySignal<Element, DatabaseError> in
      do throws(DatabaseError) {
        return try read(context.store.database(kind))
      } catch {
        return .fail(error)
      }
    }
  }
}
