import Dispatch
import FileSignals
import Signals

/// A read that is repeated after every change of what it depends on, and that survives its failures.
///
/// - **Changes.** All changes that come while it reads are followed by one more read.
/// - **Failures.** A read that failed is repeated after the next change, when the database is resumed or opened again,
///   and after pauses that grow, unless the database is closed for good.
/// - **Threads.** One thread at a time reads: that of the queue or, without one, the thread that reports the change.
/// - **Lifetime.** The database keeps it from ``start()`` to ``end()``.
final class TrackedRead: RegionObserver {
  private let database: Database
  private let health: ReadHealth
  private let queue: DispatchQueue?
  private let region: @Sendable (Database) throws(DatabaseError) -> ObservedRegion
  private let body: @Sendable (Database) throws(DatabaseError) -> Void
  private let refreshing = Refreshing()
  /// Reads again after a failure, though nothing has changed.
  private let retries: DelayedCall
  private let state = Guarded(State())

  private struct State {
    /// The region that is followed.
    var followed: ObservedRegion?
    /// Whether that is what the read depends on, and not everything because this is unknown.
    var isRegionKnown = false
    var hasFailed = false
    var isOver = false
    /// Whether the next read follows a pause, and no change.
    var isRetry = false
  }

  /// Makes a read that has not begun.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - health: Where success and failure are told.
  ///   - queue: Where to read after changes; `nil` to read on the thread that reports them.
  ///   - region: Finds out what the read depends on; called before the first read, and until it succeeds.
  ///   - read: Reads, and delivers what it has read.
  init(
    _ database: Database, _ health: ReadHealth, on queue: DispatchQueue?,
    region: @escaping @Sendable (Database) throws(DatabaseError) -> ObservedRegion,
    read: @escaping @Sendable (Database) throws(DatabaseError) -> Void
  ) {
    self.database = database
    self.health = health
    self.queue = queue
    self.region = region
    body = read
    retries = DelayedCall(
      .exponential(from: .milliseconds(250), upTo: .seconds(5)), on: queue ?? .global(qos: .userInitiated))
  }

  /// Reads on this thread, and follows changes from then on.
  func start() {
    database.followOthers()
    _ = refreshing.demand()
    if refreshing.runOnce(look) { run() }
    // What a transaction sees may be older than the last commit, or never be committed.
    database.afterTransaction { [self] in regionDidChange() }
  }

  /// Reads no more.
  func end() {
    refreshing.end()
    let region = state.withLock { state in
      state.isOver = true
      return state.followed.take()
    }
    if let region { database.regions.move(self, from: region, to: nil) }
  }

  func regionDidChange() {
    if refreshing.demand() { run() }
  }

  func read() {
    if refreshing.demand() { refreshing.run(look) }
  }

  var isStale: Bool { state.withLock { $0.hasFailed } }

  private func run() {
    guard let queue else { return refreshing.run(look) }
    queue.async { [self] in refreshing.run(look) }
  }

  private func look() {
    let isRetry = state.withLock { state in
      defer { state.isRetry = false }
      return state.isRetry
    }
    do throws(DatabaseError) {
      // Before the read: what is committed after that is then told of.
      if !state.withLock({ $0.isRegionKnown }) { follow(try region(database), isKnown: true) }
      try body(database)
    } catch {
      return fail(error, isRetry: isRetry)
    }
    if state.withLock({ exchange(&$0.hasFailed, with: false) }) { retries.reset() }
    health.succeed()
  }

  private func fail(_ error: DatabaseError, isRetry: Bool) {
    // Any change may be the one that makes the region known.
    if !state.withLock({ $0.isRegionKnown }) { follow(.everything, isKnown: false) }
    let isOver = state.withLock { state in
      state.hasFailed = true
      return state.isOver
    }
    if isOver { return }
    health.fail(error, isRetry: isRetry)
    if !database.writer.isClosed { retries.request { [weak self] in self?.retry() } }
  }

  private func retry() {
    let isDue = state.withLock { state in
      if state.hasFailed { state.isRetry = true }
      return state.hasFailed && !state.isOver
    }
    if isDue { regionDidChange() }
  }

  private func follow(_ region: ObservedRegion, isKnown: Bool) {
    state.withLock { state in
      state.isRegionKnown = isKnown
      if state.isOver || state.followed == region { return }
      database.regions.move(self, from: state.followed, to: region)
      state.followed = region
    }
  }
}
