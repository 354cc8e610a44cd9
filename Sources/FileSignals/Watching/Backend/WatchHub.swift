import Signals

/// The only backend of the process, which lives as long as the process.
///
/// The number of instances per user is limited (on Linux to 128, for all processes together), and creating and closing
/// one is slow.
package enum WatchHub {
  private static let started = Guarded<(any WatchBackend)?>(nil)

  /// Returns the backend, which starts at the first call.
  @Sendable static func shared() throws(FileObserverError) -> any WatchBackend {
    try started.withLock { started throws(FileObserverError) in
      if let started { return started }
      let backend = try startWatchBackend()
      started = backend
      return backend
    }
  }

  /// The number of times that the backend has woken up.
  package static var wakeCount: Int {
    started.withLock { $0 }?.wakeCount ?? 0
  }

  /// Prevents the delivery of events while a closure runs, for tests in which too many events gather.
  package static func stall(during body: () throws -> Void) rethrows {
    try started.withLock { $0 }?.stall(during: body)
  }
}
