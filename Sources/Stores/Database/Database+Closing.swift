import Signals

extension Database {
  /// Closes the file permanently, after all running transactions.
  ///
  /// Later calls throw ``DatabaseError/closed(path:)``, and live queries report it in their status and failures. When
  /// this returns, this object has closed the file and its log, so they may be moved or removed.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction of the same thread, or while that
  ///   thread switches to another file.
  public func close() throws(DatabaseError) {
    try refuseWaiting("close")
    let reason = DatabaseError.closed(path: location.path)
    pauses.withTurn { shutDown(reason) }
    delivery.finish()
    mutableStatus.value = .closed(reason)
    regions.tellAll()
    sharing.close()
  }

  /// Closes the file; later calls throw the reason.
  func shutDown(_ reason: DatabaseError) {
    foreignWrites?.end()
    siblings?.leave(ObjectIdentifier(self))
    readers?.close(reason)
    writer.close(reason)
  }
}
