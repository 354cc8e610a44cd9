import Signals

/// The one backend of the process, which lives as long as the process: users may have few instances of what it uses (on
/// Linux 128, in all processes together), and making and closing one takes long.
package enum WatchHub {
  private static let started = Guarded<(any WatchBackend)?>(nil)

  /// The backend, which is started when it is first asked for.
  @Sendable static func shared() throws(FileObserverError) -> any WatchBackend {
    try started.withLock { started throws(FileObserverError) in
      if let started { return started }
      let backend = try startWatchBackend()
      started = backend
      return backend
    }
  }

  /// How often the backend has woken up.
  package static var wakeCount: Int {
    started.withLock { $0 }?.wakeCount ?? 0
  }

  /// Keeps everybody from being told of events while a closure runs; for tests of what happens when too many gather.
  package static func stall(during body: () throws -> Void) rethrows {
    try started.withLock { $0 }?.stall(during: body)
  }
}
