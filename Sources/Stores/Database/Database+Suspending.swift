import Signals

extension Database {
  /// Waits for the running write, and refuses others until ``resume()``.
  ///
  /// A process must hold no lock when the system suspends it: others would wait for it, and iOS ends a process that holds
  /// a lock in a group's container. Call this method when the application enters the background, and ``resume()`` when it
  /// returns. Reads continue, because they block no writer.
  ///
  /// Until then, writes throw ``DatabaseError/suspended(path:)`` and change nothing. A ``DatabaseShare`` of the database
  /// releases its author's name, which is a lock, too.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction, which would wait for itself.
  public func suspend() throws(DatabaseError) {
    try refuseNesting("suspend")
    writer.setSuspended(true)
    sharing.engine?.suspend()
  }

  /// Allows writes again, and retries live queries and rows that could not be read.
  ///
  /// - Throws: ``DatabaseError/authorInUse(_:path:)`` if another process has taken the name of the ``DatabaseShare``.
  ///   Then the database stays suspended; resume it again when the name is free.
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
