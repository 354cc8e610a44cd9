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
