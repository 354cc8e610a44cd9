import Foundation
import Signals
public import Stores

extension StandardAppContext {
  /// Returns the rows of a query in the current context's database, now and after each change.
  ///
  /// After each switch, the query runs in the new context. It never shows the rows of a previous user.
  ///
  /// - **One change.** The rows of the next context are read before it is shown, and change together with ``current``
  ///   and, in a scope, with the environment. If the next context's database cannot be read, subscribers receive the
  ///   value for an empty database.
  /// - **Failure.** If a database cannot be opened or read, subscribers keep the last value of the same context. The
  ///   read is tried again after the next change, and after pauses that grow to five seconds.
  /// - **Other processes.** Commits of processes with the same session are observed.
  /// - **Threads.** Subscribers are called on the thread that has read.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - kind: The kind of the database.
  /// - Returns: The signal, which never ends. Its `status` and `failures` report errors.
  public func query<Model: StoreModel & Equatable>(
    _ query: Query<Model>, in kind: Store.Kind = .persistence
  ) -> LiveQuery<[Model]> {
    liveQuery(in: kind, empty: []) { database in
      let query = database.query(query)
      return ContextReadEvent.merged(query.failures, query.status, query)
    }
  }

  /// Returns one row of the current context's database, or `nil` while no row has this key.
  ///
  /// It follows the current context as ``query(_:in:)`` does.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The key of the row.
  ///   - kind: The kind of the database.
  /// - Returns: The signal, which never ends. Its `status` and `failures` report errors.
  public func live<Model: StoreModel & Equatable>(
    _ type: Model.Type, id: Model.ID, in kind: Store.Kind = .persistence
  ) -> LiveQuery<Model?> {
    liveQuery(in: kind, empty: nil) { database throws(DatabaseError) in
      let row = try database.live(type, id: id)
      return ContextReadEvent.merged(row.failures, row.status, row)
    }
  }

  private func liveQuery<Element>(
    in kind: Store.Kind, empty: Element, _ read: @escaping ContextReads<User, Element>.Read
  ) -> LiveQuery<Element> {
    LiveQuery(of: root.path) { [board] health in ContextReads(board, kind, health, empty: empty, read) }
  }
}
