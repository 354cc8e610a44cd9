/// The system's mechanism for reporting changes in directories.
///
/// A backend passes events to the points' owners with ``PathChanges/take(_:)``, in order. It then calls the owners on a
/// thread of its own, with no lock held.
protocol WatchBackend: AnyObject, Sendable {
  /// Starts to watch a directory for a point.
  ///
  /// From then on, nothing is missed.
  ///
  /// - Parameters:
  ///   - point: The directory and its observer.
  ///   - descriptor: The directory, if it is already open, since its path may already lead to another one.
  /// - Returns: The token that ends the watch.
  /// - Throws: ``FileObserverError`` if it cannot be watched.
  func add(_ point: WatchPoint, opened descriptor: CInt?) throws(FileObserverError) -> WatchToken

  /// Ends the watch of a point.
  ///
  /// Does nothing if the watch has ended by itself.
  func remove(_ token: WatchToken)

  /// Prevents the backend from waking up, while the caller changes something, until ``unmuffle(by:)``.
  func muffle()

  /// Delivers the events that have gathered, on this thread, and lets the backend wake up again.
  ///
  /// - Parameter watch: The caller's watch, whose own events the caller processes.
  func unmuffle(by watch: PathChanges)

  /// The number of times that the backend has woken up.
  var wakeCount: Int { get }

  /// Prevents the backend from delivering events while a closure runs, to simulate a machine under load.
  func stall(during body: () throws -> Void) rethrows
}

extension WatchBackend {
  func muffle() {}
  func unmuffle(by watch: PathChanges) {}
}

/// An identifier of one point in a backend.
struct WatchToken: Hashable, Sendable {
  let number: Int
}
