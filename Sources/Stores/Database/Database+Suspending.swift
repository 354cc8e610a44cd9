import Signals

extension Database {
  /// Lets the transaction that is being written come to its end, and refuses others until ``resume()``.
  ///
  /// A process that the system may suspend must hold no lock by then: others would wait for it, and iOS ends a process
  /// that holds one in a group's container. Call this when the application goes to the background, and ``resume()``
  /// when it comes back. Reading goes on; it locks nobody out.
  ///
  /// Writing throws ``DatabaseError/suspended(path:)`` meanwhile, and nothing is changed. A ``DatabaseShare`` of the
  /// database gives up its author's name, which is a lock, too.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction, which would wait for itself.
  public func suspend() throws(DatabaseError) {
    try refuseNesting("suspend")
    writer.setSuspended(true)
    sharing.engine?.suspend()
  }

  /// Allows writing again, and has live queries and rows that could not be read try again.
  ///
  /// - Throws: ``DatabaseError/authorInUse(_:path:)`` if another process has taken the name of the ``DatabaseShare``
  ///   meanwhile. The database stays suspended then; resume it again when the name is free.
  ///   ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction.
  public func resume() throws(DatabaseError) {
    try refuseNesting("resume")
    let engine = sharing.engine
    try engine?.resume()
    writer.setSuspended(false)
    engine?.wake()
    regions.tellStale()
  }
}
