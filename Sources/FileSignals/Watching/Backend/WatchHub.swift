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

/// The mechanism from which a new observer receives the system's events.
package struct WatchSource: Sendable {
  /// Returns the backend, which starts at the first call.
  let backend: @Sendable () throws(FileObserverError) -> any WatchBackend
  /// A Boolean value that indicates whether a directory reports only changes of its entries, so that files that are
  /// written in place need watches of their own.
  let needsWatchPerFile: Bool

  init(needsWatchPerFile: Bool = false, backend: @escaping @Sendable () throws(FileObserverError) -> any WatchBackend) {
    self.needsWatchPerFile = needsWatchPerFile
    self.backend = backend
  }

  /// Creates the system's mechanism.
  private init(_ hub: WatchHub) {
    #if canImport(Darwin)
      self.init(needsWatchPerFile: true, backend: hub.backend)
    #else
      self.init(backend: hub.backend)
    #endif
  }

  private static let system = WatchSource(.shared)
  private static let systemForResting = WatchSource(.resting)

  /// The mechanism for an observer that is created now.
  static var current: WatchSource { substitute ?? system }

  /// The mechanism for an observer that is created now and rests.
  static var resting: WatchSource { substitute ?? systemForResting }

  #if DEBUG
    /// The mechanism that takes the place of the system's in a task of a test.
    @TaskLocal private static var substitute: WatchSource?

    /// A Boolean value that indicates whether observers that are created in this task receive the name of each entry
    /// that is written in place.
    package static var reportsWrites: Bool { !current.needsWatchPerFile }

    /// Creates a mechanism that works as on BSD.
    package init(_ queue: some VnodeQueue) throws {
      let backend = try KqueueBackend(queue)
      self.init(needsWatchPerFile: true) { () throws(FileObserverError) in backend }
    }

    /// Uses the mechanism for all observers that a closure creates in its task.
    package func use<Result>(in body: () async throws -> Result) async rethrows -> Result {
      try await Self.$substitute.withValue(self) { try await body() }
    }
  #else
    private static var substitute: WatchSource? { nil }
  #endif
}
