/// The system's way of telling what happens in directories.
///
/// A backend hands events in to the points' owners with ``PathChanges/take(_:)``, in order, and has them called, on a
/// thread of its own, with no lock held.
protocol WatchBackend: AnyObject, Sendable {
  /// Starts watching a directory for a point; from here on nothing is missed.
  ///
  /// - Parameters:
  ///   - point: The directory, and for whom.
  ///   - descriptor: The directory itself, if it has been opened already; its path may by now lead to another.
  /// - Returns: What to stop it with.
  /// - Throws: ``FileObserverError`` if it cannot be watched.
  func add(_ point: WatchPoint, opened descriptor: CInt?) throws(FileObserverError) -> WatchToken

  /// Stops watching for a point. Does nothing if the watch has ended by itself.
  func remove(_ token: WatchToken)

  /// Keeps the backend from waking up, for the moment in which the caller changes something, until ``unmuffle(by:)``.
  func muffle()

  /// Hands out what has happened meanwhile, on this thread, and lets the backend wake up again.
  ///
  /// - Parameter watch: The caller, who looks after its own.
  func unmuffle(by watch: PathChanges)

  /// How often the backend has woken up.
  var wakeCount: Int { get }

  /// Keeps the backend from handing out events while a closure runs, as a machine under load would.
  func stall(during body: () throws -> Void) rethrows
}

extension WatchBackend {
  func muffle() {}
  func unmuffle(by watch: PathChanges) {}
}

/// Names one point in a backend.
struct WatchToken: Hashable, Sendable {
  let number: Int
}
