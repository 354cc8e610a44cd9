import Signals

extension Database {
  /// Lets the transaction that is being written come to its end, and refuses others until ``resume()``.
  ///
  /// A process that the system may suspend must hold no lock by then: others would wait for it, and iOS ends a process
  /// that holds one in a group's container. Call this when the application goes to the background, and ``resume()``
  /// when it comes back. Reading goes on; it locks nobody out.
  ///
  /// Writing throws ``DatabaseError/suspended(path:)`` meanwhile, and nothing is changed.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction, which would wait for itself.
  public func suspend() throws(DatabaseError) {
    try refuseNesting("suspend")
    writer.setSuspended(true)
  }

  /// Allows writing again.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction.
  public func resume() throws(DatabaseError) {
    try refuseNesting("resume")
    writer.setSuspended(false)
  }
}
