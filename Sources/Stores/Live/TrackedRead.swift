import AppGroups
import Dispatch
import FileSignals
import Signals

/// A read that is repeated after every change of the data that it has read, and that survives failures.
///
/// - **Region.** Each read records the tables and keys that it reads, so a read that takes another branch is followed.
///   If they differ from those of the previous read, and have changed in the meantime, the read is repeated.
/// - **Changes.** All changes during a read are followed by one more read.
/// - **Failures.** A failed read is repeated after the next change, when the database is resumed or opened again, and
///   after pauses that grow, unless the database is closed for good.
/// - **Switches.** New contents are read while the scope of the database is switched, and published with all other
///   changes of the switch. The result of a read that began before the switch is dropped. See
///   ``TrackedRead/prepareSwitch(_:)``.
/// - **Threads.** One thread at a time reads: a thread of the queue or, without a queue, the thread that reports the
///   change.
/// - **Lifetime.** The database retains it from ``start()`` to ``end()``.
final class TrackedRead<Value: Sendable>: RegionObserver, QueryRound {
  let values = MutableProperty<Value?>(nil)

  private let database: Database
  private let health: ReadHealth
  private let queue: DispatchQueue?
  private let body: Body
  private let refreshing = Refreshing()
  private let interruption = ReadInterruption()
  private let state = Guarded(State())

  /// The closures of a read.
  struct Body: Sendable {
    let read: @Sendable (ReadTransaction) throws -> Value?
    /// Returns the value that is shown while switched contents cannot be read.
    let empty: @Sendable (Database) -> Value?
  }

  private struct State {
    var hasFailed = false
    var isOver = false
    /// A Boolean value that indicates whether the next read follows a pause, and no change.
    var isRetry = false
    /// A Boolean value that indicates whether a read was left out because new contents are awaited.
    var isSkipped = false
    /// The number of switches, which must be unchanged when a read is stored.
    var epoch = 0
    /// The repetition of a failed read without a change; `nil` until a read fails, because few reads ever do.
    var retries: DelayedCall?
  }

  /// Creates a read that has not begun.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - health: The status to which success and failure are reported.
  ///   - queue: The queue for reads after changes, or `nil` to read on the thread that reports them.
  ///   - body: The closures.
  init(_ database: Database, _ health: ReadHealth, on queue: DispatchQueue?, _ body: Body) {
    self.database = database
    self.health = health
    self.queue = queue
    self.body = body
  }

  /// Begins to read and to follow changes.
  ///
  /// - Parameter scheduling: The choice between a first read on this thread, and one on the queue.
  func start(_ scheduling: LiveQueryScheduling) {
    database.followOthers()
    database.regions.add(self)
    guard scheduling == .immediate || queue == nil else { return regionDidChange() }
    _ = refreshing.demand()
    if refreshing.runOnce(look) { run() }
    // A transaction may see rows that are older than the last commit, or that are never committed.
    database.afterTransaction { [self] in regionDidChange() }
  }

  func refresh() { regionDidChange() }

  func end() {
    refreshing.end()
    state.withLock { $0.isOver = true }
    interruption.cancel()
    database.regions.remove(self)
  }

  func regionDidChange() {
    // A transaction of this thread may see rows that are older than the change, or that are never committed.
    if queue == nil, database.isInTransactionOfThisThread {
      return database.afterTransaction { [self] in regionDidChange() }
    }
    if refreshing.demand() { run() }
  }

  var isStale: Bool { state.withLock { $0.hasFailed } }

  func takeSkipped() -> Bool { state.withLock { exchange(&$0.isSkipped, with: false) } }

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
  /// - Returns: Whether the result counts. If the contents were switched during the read, it does not.
  private func attempt() -> Bool {
    let (isRetry, epoch) = state.withLock { state in
      defer { state.isRetry = false }
      return (state.isRetry, state.epoch)
    }
    if database.regions.isAwaitingSwitch {
      state.withLock { $0.isSkipped = true }
      return true
    }
    do throws(DatabaseError) {
      return store(try read(epoch), epoch)
    } catch {
      return fail(error, isRetry: isRetry, epoch)
    }
  }

  /// Reads, and observes from now on what the closure has read.
  ///
  /// Contents that are being switched cannot change, so the read is not repeated.
  private func read(_ epoch: Int, isSwitching: Bool = false) throws(DatabaseError) -> Value? {
    let tracking = ReadTracking(interruption)
    let read = database.regions.beginRead()
    do {
      let value = try database.track(tracking, body.read)
      if follow(tracking.region, after: read, epoch), !isSwitching { regionDidChange() }
      return value
    } catch {
      var region = database.regions.region(of: self)
      region.formUnion(tracking.region)
      // If nothing was read, any change may let the next read succeed.
      if region.isEmpty { region.insertEverything() }
      if follow(region, after: read, epoch), !isSwitching { regionDidChange() }
      throw error as? DatabaseError ?? .failedRead("\(error)", path: database.location.path)
    }
  }

  /// Observes a region from now on.
  ///
  /// - Returns: `true` if the region has changed since the read began.
  private func follow(_ region: ObservedRegion, after read: RegionRegistry.Read, _ epoch: Int) -> Bool {
    state.withLock { state in
      // A read of old contents must not replace the region of the new ones.
      if state.epoch == epoch { return database.regions.endRead(read, of: self, in: region) }
      database.regions.dropRead(read)
      return false
    }
  }

  private func isNews(_ new: Value?) -> Bool {
    guard let old = values.value, let new else { return (values.value == nil) != (new == nil) }
    return !areEqual(old, new)
  }

  private func store(_ new: Value?, _ epoch: Int) -> Bool {
    let isNews = isNews(new)
    var staged: StagedValue<Value?>?
    let (counts, hadFailed) = state.withLock { state in
      guard state.epoch == epoch else { return (false, false) }
      if isNews { staged = values.stage(new) }
      return (true, exchange(&state.hasFailed, with: false))
    }
    staged?.send()
    guard counts else { return false }
    if hadFailed { resetRetries() }
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
    guard !database.writer.isClosed else { return }
    let retries = state.withLock { state in
      if let retries = state.retries { return retries }
      let made = DelayedCall(
        .exponential(from: .milliseconds(250), upTo: .seconds(5)), on: queue ?? .global(qos: .userInitiated))
      state.retries = made
      return made
    }
    retries.request { [weak self] in self?.retry() }
  }

  private func resetRetries() { state.withLock { $0.retries }?.reset() }

  private func retry() {
    let isDue = state.withLock { state in
      if state.hasFailed { state.isRetry = true }
      return state.hasFailed && !state.isOver
    }
    if isDue { regionDidChange() }
  }

  // MARK: Switches

  func prepareSwitch(_ content: NewContent) -> PreparedSwitch {
    let epoch = state.withLock { state in
      // Reads in progress are dropped.
      state.epoch += 1
      return state.isOver ? nil : state.epoch
    }
    guard let epoch else { return PreparedSwitch() }
    var (new, failure, isAwaited): (Value??, DatabaseError?, Bool) = (nil, nil, false)
    switch content {
    case .readable:
      do throws(DatabaseError) { new = try read(epoch, isSwitching: true) } catch { failure = error }
    case .failing(let error): failure = error
    case .awaited: isAwaited = true
    }
    let value = new ?? body.empty(database)
    let news: Value?? = isNews(value) ? .some(value) : nil
    return PreparedSwitch { [self, failure, isAwaited] changes in
      publish(news, failing: failure, isAwaited: isAwaited, into: changes)
    }
  }

  private func publish(_ news: Value??, failing failure: DatabaseError?, isAwaited: Bool, into changes: ScopeChanges) {
    var staged: StagedValue<Value?>?
    let isNeeded = state.withLock { state in
      if state.isOver { return false }
      if let news { staged = values.stage(news) }
      state.hasFailed = failure != nil
      return true
    }
    staged?.send()
    guard isNeeded else { return }
    health.publish(failure, isAwaiting: isAwaited)
    changes.afterwards { [self] in
      // The replaced value is released here, because releasing it may run code of the application.
      withExtendedLifetime(staged) {}
      guard let failure else { return resetRetries() }
      health.send(failure)
      retryLater()
    }
  }
}

/// Returns a Boolean value that indicates whether two values are equal; `false` if their type is not `Equatable`.
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
  func areEqual<Known: Equatable>(as type: Known.Type) -> Bool { first as? Known == second as? Known }
  return (Value.self as? any Equatable.Type).map { areEqual(as: $0) } ?? false
}
