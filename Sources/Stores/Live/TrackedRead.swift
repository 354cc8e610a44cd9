import AppGroups
import Dispatch
import FileSignals
import Signals

/// A read that is repeated after every change of its region, and that survives failures.
///
/// - **Changes.** All changes during a read are followed by one more read.
/// - **Failures.** A failed read is repeated after the next change, when the database is resumed or opened again, and
///   after pauses that grow, unless the database is closed for good.
/// - **Swaps.** New contents are read while the scope of the database is swapped, and published with all other changes
///   of the swap. The result of a read that began before the swap is dropped. See
///   ``TrackedRead/prepareSwap(failing:)``.
/// - **Threads.** One thread at a time reads: a thread of the queue or, without a queue, the thread that reports the
///   change.
/// - **Lifetime.** The database retains it from ``start()`` to ``end()``.
final class TrackedRead<Value: Sendable>: RegionObserver {
  /// The value of the last read.
  let value: MutableProperty<Value>

  private let database: Database
  private let health: ReadHealth
  private let queue: DispatchQueue?
  private let body: Body
  private let refreshing = Refreshing()
  /// The repetition of a failed read without a change.
  private let retries: DelayedCall
  private let state = Guarded(State())

  /// The closures of a read.
  struct Body: Sendable {
    /// Determines the region that the read depends on, before the first read and until it succeeds.
    let region: @Sendable (Database) throws(DatabaseError) -> ObservedRegion
    let read: @Sendable (Database) throws(DatabaseError) -> Value
    let isSame: @Sendable (Value, Value) -> Bool
    /// Returns the value that is shown while swapped contents cannot be read.
    let empty: @Sendable (Database) -> Value
  }

  private struct State {
    /// The observed region.
    var followed: ObservedRegion?
    /// A Boolean value that indicates whether the region is known.
    ///
    /// Otherwise everything is observed.
    var isRegionKnown = false
    var hasFailed = false
    var isOver = false
    /// A Boolean value that indicates whether the next read follows a pause, and no change.
    var isRetry = false
    /// The number of swaps, which must be unchanged when a read is stored.
    var epoch = 0
    var prepared: Prepared?
  }

  /// The result of reading new contents.
  private struct Prepared {
    /// The value, if it has changed.
    let news: Value?
    let isAwaiting: Bool
    let failure: DatabaseError?
  }

  /// Creates a read that has not begun.
  ///
  /// - Parameters:
  ///   - initial: The value before the first read.
  ///   - database: The database.
  ///   - health: The status to which success and failure are reported.
  ///   - queue: The queue for reads after changes, or `nil` to read on the thread that reports them.
  ///   - body: The closures.
  init(_ initial: Value, _ database: Database, _ health: ReadHealth, on queue: DispatchQueue?, _ body: Body) {
    value = MutableProperty(initial)
    self.database = database
    self.health = health
    self.queue = queue
    self.body = body
    retries = DelayedCall(
      .exponential(from: .milliseconds(250), upTo: .seconds(5)), on: queue ?? .global(qos: .userInitiated))
  }

  /// Reads on this thread, and follows later changes.
  func start() {
    database.followOthers()
    _ = refreshing.demand()
    if refreshing.runOnce(look) { run() }
    // A transaction may see rows that are older than the last commit, or that are never committed.
    database.afterTransaction { [self] in regionDidChange() }
  }

  /// Ends all reads.
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

  var isStale: Bool { state.withLock { $0.hasFailed } }

  private func run() {
    guard let queue else { return refreshing.run(look) }
    queue.async { [self] in refreshing.run(look) }
  }

  // MARK: Reading

  private func look() {
    while !attempt() {}
  }

  /// Reads once.
  ///
  /// - Returns: Whether the result counts. If the contents were swapped during the read, it does not.
  private func attempt() -> Bool {
    let (isRetry, epoch) = state.withLock { state in
      defer { state.isRetry = false }
      return (state.isRetry, state.epoch)
    }
    do throws(DatabaseError) {
      // This comes before the read, so that every later commit is observed.
      try findRegion()
      if database.regions.isAwaitingSwap { return true }
      return store(try body.read(database), epoch)
    } catch {
      return fail(error, isRetry: isRetry, epoch)
    }
  }

  private func store(_ new: Value, _ epoch: Int) -> Bool {
    let isNews = !body.isSame(value.value, new)
    var staged: StagedValue<Value>?
    let (counts, hadFailed) = state.withLock { state in
      guard state.epoch == epoch else { return (false, false) }
      if isNews { staged = value.stage(new) }
      return (true, exchange(&state.hasFailed, with: false))
    }
    staged?.send()
    guard counts else { return false }
    if hadFailed { retries.reset() }
    health.succeed()
    return true
  }

  private func fail(_ error: DatabaseError, isRetry: Bool, _ epoch: Int) -> Bool {
    let isOver = state.withLock { state -> Bool? in
      guard state.epoch == epoch else { return nil }
      state.hasFailed = true
      return state.isOver
    }
    guard let isOver else { return false }
    if isOver { return true }
    health.fail(error, isRetry: isRetry)
    retryLater()
    return true
  }

  private func retryLater() {
    if !database.writer.isClosed { retries.request { [weak self] in self?.retry() } }
  }

  private func retry() {
    let isDue = state.withLock { state in
      if state.hasFailed { state.isRetry = true }
      return state.hasFailed && !state.isOver
    }
    if isDue { regionDidChange() }
  }

  private func findRegion() throws(DatabaseError) {
    if state.withLock({ $0.isRegionKnown }) { return }
    do throws(DatabaseError) {
      follow(try body.region(database), isKnown: true)
    } catch {
      // Any change may make the region known.
      follow(.everything, isKnown: false)
      throw error
    }
  }

  private func follow(_ region: ObservedRegion, isKnown: Bool) {
    let (isMoving, old) = state.withLock { state -> (Bool, ObservedRegion?) in
      state.isRegionKnown = isKnown
      if state.isOver || state.followed == region { return (false, nil) }
      return (true, exchange(&state.followed, with: region))
    }
    guard isMoving else { return }
    database.regions.move(self, from: old, to: region)
    // The end may have come first, when there was nothing to remove yet.
    if state.withLock({ $0.isOver }) { database.regions.move(self, from: region, to: nil) }
  }

  // MARK: Swaps

  func prepareSwap(failing failure: DatabaseError?) {
    guard beginSwap() else { return }
    guard let failure else {
      do throws(DatabaseError) {
        try findRegion()
        return prepare(try body.read(database), failing: nil)
      } catch {
        return prepare(body.empty(database), failing: error)
      }
    }
    prepare(body.empty(database), failing: failure)
  }

  func awaitSwap() {
    if beginSwap() { prepare(body.empty(database), failing: nil, isAwaiting: true) }
  }

  /// Drops the reads in progress.
  ///
  /// - Returns: Whether the value is still needed.
  private func beginSwap() -> Bool {
    state.withLock { state in
      state.epoch += 1
      return !state.isOver
    }
  }

  private func prepare(_ new: Value, failing failure: DatabaseError?, isAwaiting: Bool = false) {
    let isNews = !body.isSame(value.value, new)
    let prepared = Prepared(news: isNews ? new : nil, isAwaiting: isAwaiting, failure: failure)
    state.withLock { $0.prepared = prepared }
  }

  func publishSwap(into changes: ScopeChanges) {
    var staged: StagedValue<Value>?
    let prepared = state.withLock { state -> Prepared? in
      guard let prepared = state.prepared.take(), !state.isOver else { return nil }
      if let news = prepared.news { staged = value.stage(news) }
      state.hasFailed = prepared.failure != nil
      return prepared
    }
    staged?.send()
    guard let prepared else { return }
    health.publish(prepared.failure, isAwaiting: prepared.isAwaiting)
    changes.afterwards { [self] in
      // The replaced value is released here, because releasing it may run code of the application.
      withExtendedLifetime(staged) {}
      guard let failure = prepared.failure else { return retries.reset() }
      health.failures.send(failure)
      retryLater()
    }
  }
}
