import Signals

/// A backend that starts when it is first needed, and lives as long as the process.
///
/// The number of instances per user is limited (on Linux to 128, for all processes together), and creating and closing
/// one is slow. So a process has one for all observers, and a second one only if some of them rest.
package final class WatchHub: Sendable {
  /// The hub of the observers that receive their events at once.
  package static let shared = WatchHub()

  /// The hub of the observers that rest, which would delay the events of all others.
  package static let resting = WatchHub()

  private let started = Guarded<(any WatchBackend)?>(nil)

  private init() {}

  /// Returns the backend, which starts at the first call.
  @Sendable func backend() throws(FileObserverError) -> any WatchBackend {
    try started.withLock { started throws(FileObserverError) in
      if let started { return started }
      let backend = try startWatchBackend()
      started = backend
      return backend
    }
  }

  /// The number of times that the backend has woken up.
  package var wakeCount: Int {
    started.withLock { $0 }?.wakeCount ?? 0
  }

  /// Prevents the delivery of events while a closure runs, for tests in which too many events gather.
  package func stall(during body: () throws -> Void) rethrows {
    try started.withLock { $0 }?.stall(during: body)
  }
}
