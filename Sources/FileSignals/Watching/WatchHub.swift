import Signals

/// The one backend of the process, which lives as long as the process: users may have few instances of what it uses (on
/// Linux 128, in all processes together), and making and closing one takes long.
package enum WatchHub {
  private static let lock = Lock()
  nonisolated(unsafe) private static var backend: (any WatchBackend)?  // Sound: guarded by the lock.

  /// The backend, which is started when it is first asked for.
  @Sendable static func shared() throws(FileObserverError) -> any WatchBackend {
    try lock.withLock { () throws(FileObserverError) in
      if let backend { return backend }
      let started = try startWatchBackend()
      backend = started
      return started
    }
  }

  /// How often the backend has woken up.
  package static var wakeCount: Int {
    lock.withLock { backend }?.wakeCount ?? 0
  }

  /// Keeps everybody from being told of events while a closure runs; for tests of what happens when too many gather.
  package static func stall(during body: () throws -> Void) rethrows {
    try lock.withLock { backend }?.stall(during: body)
  }
}
