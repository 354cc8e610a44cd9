import Dispatch
import FileSignals
import Foundation
import Signals

/// Saves a consumer's cursor on its own queue, so that a slow subscriber does not delay it.
final class LogSaver: Sendable {
  /// The time for which handled events may be unsaved; after a crash within it, they are delivered again.
  private static let interval = Duration.milliseconds(50)
  /// The time after which even an unchanged position is saved again, to show other processes that the consumer is
  /// active.
  private static let lifetime = DispatchTimeInterval.seconds(60)
  /// The minimum time between two trims.
  private static let trimInterval: UInt64 = 5_000_000_000

  private let limits: LogLimits
  private let audience: LogAudience
  private let failures: FailureRelay<AppGroupsLogError>
  private let queue = DispatchQueue(label: "org.signals.log.save", qos: .userInitiated)
  /// The requests of tasks to save.
  private let requests = BlockingCalls(width: 1)

  private struct State {
    /// The consumer in the contents that were read last; `nil` before the first, and after they were switched.
    var consumer: ConsumerPlace?
    /// The consumer's lock while the log is read.
    var lock: ConsumerLock?
    /// The positions that were last saved under this lock, and the time of the save.
    var saved: (positions: [UUID: LogPosition], time: DispatchTime)?
    var hasFailed = false
    var pauses = Backoff.unreadable.pauses()
    var lastTrim = DispatchTime(uptimeNanoseconds: 0)
  }

  /// The state, which only the queue changes.
  private let state = Guarded(State())

  init(limits: LogLimits, audience: LogAudience, failures: FailureRelay<AppGroupsLogError>) {
    self.limits = limits
    self.audience = audience
    self.failures = failures
  }

  // MARK: Called by the feed

  /// Begins to save, and registers the consumer, so that no unhandled event is removed from now on.
  ///
  /// - Parameters:
  ///   - consumer: The consumer.
  ///   - lock: The consumer's lock, which is held until ``end(unlessReplaced:)``.
  /// - Throws: ``AppGroupsLogError`` if the cursor cannot be written; then the write is retried.
  func begin(_ consumer: ConsumerPlace, _ lock: ConsumerLock) throws(AppGroupsLogError) {
    try onQueue { () throws(AppGroupsLogError) in
      state.withLock { ($0.consumer, $0.lock, $0.saved) = (consumer, lock, nil) }
      do throws(AppGroupsLogError) {
        try register()
      } catch {
        // Until the consumer is registered, its unhandled events may be removed.
        state.withLock { $0.hasFailed = true }
        audience.withCursor { $0.isChanged = true }
        throw error
      }
    }
  }

  /// Saves unsaved positions, and releases the consumer's lock.
  ///
  /// - Parameter unlessReplaced: A Boolean value that indicates whether to save nothing if the lock's file was removed,
  ///   because another process may then be the consumer.
  func end(unlessReplaced: Bool) {
    queue.sync {
      guard let lock else { return }
      report { () throws(AppGroupsLogError) in
        if unlessReplaced, try !lock.isInPlace { return }
        try saveNow()
      }
      state.withLock { ($0.lock, $0.saved) = (nil, nil) }
    }
  }

  /// Lets go of contents that are switched while nobody reads them.
  func leave() {
    queue.async { [self] in
      state.replace { state in state.lock == nil ? state.consumer.take() : nil }
    }
  }

  /// Saves unsaved positions, and releases the consumer's lock until ``takeBack()``.
  func suspend() {
    queue.sync {
      guard let lock else { return }
      report { () throws(AppGroupsLogError) in if try lock.isInPlace { try saveNow() } }
      state.withLock { $0.lock = nil }
    }
  }

  /// Acquires the consumer's lock again.
  ///
  /// - Returns: `false` if another process has it, or was the consumer in between.
  func takeBack() -> Bool {
    queue.sync {
      do throws(AppGroupsLogError) {
        guard let consumer, let saved = state.withLock({ $0.saved?.positions }),
          let lock = try consumer.lock(creating: false), try consumer.load() == saved
        else { return false }
        state.withLock { $0.lock = lock }
        return true
      } catch {
        // The attempt to begin again reports the error.
        return false
      }
    }
  }

  /// Saves within ``interval``, if there is something new.
  func saveSoon() {
    guard audience.claimSaving() else { return }
    queue.async { [self] in
      // A failed save is retried, but less often.
      let pause = state.withLock { $0.hasFailed ? $0.pauses.next() : nil } ?? Self.interval
      queue.async(after: pause) { [weak self] in self?.saveClaimed() }
    }
  }

  private func saveClaimed() {
    guard audience.releaseSaving(), lock != nil else { return }
    // After a failed registration, this registers the consumer.
    report { () throws(AppGroupsLogError) in try hasFailed ? register() : saveNow() }
    if hasFailed { return saveSoon() }
    trimOnQueue()
  }

  /// Saves the handled events before the contents of the scope are switched, unless that takes too long.
  func saveForSwitch() {
    guard lock != nil else { return }
    let isDone = DispatchSemaphore(value: 0)
    queue.async { [self] in
      // The save is retried, and an error reported, when the reading ends.
      tolerating { if lock != nil { try saveNow() } }
      isDone.signal()
    }
    // A subscriber to failures may occupy the queue, and may itself be waiting for the switch.
    _ = isDone.wait(timeout: .now() + .milliseconds(500))
  }

  /// The consumer whose position is saved.
  var consumer: ConsumerPlace? { state.withLock { $0.consumer } }

  /// The consumer's lock while the log is read, which a suspension releases.
  var lock: ConsumerLock? { state.withLock { $0.lock } }

  private var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Saves acknowledged events, at once if no subscription is left, because the feed may soon be released.
  func saveAcknowledged() {
    queue.async { [self] in
      if lock != nil { return saveSoon() }
      // A subscriber that waits to begin saves them later.
      if audience.isEmpty { report { () throws(AppGroupsLogError) in try saveNow() } }
    }
  }

  /// Saves now, and waits for the end of the reading if no subscription is left.
  ///
  /// - Parameter feedQueue: The feed's queue, which is waited for only if the log is not read yet, or no longer.
  /// - Throws: ``AppGroupsLogError`` if the cursor cannot be written, or `CancellationError` if the task was cancelled
  ///   first.
  func save(after feedQueue: DispatchQueue) async throws {
    try await requests.run { [self] in
      let isSaved = try onQueue { () throws(AppGroupsLogError) in
        guard lock != nil, !audience.isEmpty else { return false }
        try saveNow()
        return true
      }
      if isSaved { return }
      feedQueue.sync {}
      try onQueue { () throws(AppGroupsLogError) in try saveNow() }
      LogTrimmer.waitUntilTrimmed()
    }
  }

  /// Removes the segments that no consumer needs any more, unless the log was trimmed a moment ago.
  func trimSoon() {
    queue.async { [self] in trimOnQueue() }
  }

  private func trimOnQueue() {
    let now = DispatchTime.now()
    let isDue = state.withLock { state in
      guard now.uptimeNanoseconds - state.lastTrim.uptimeNanoseconds > Self.trimInterval else { return false }
      state.lastTrim = now
      return true
    }
    guard isDue, let consumer else { return }
    LogTrimmer(place: consumer.place, limits: limits).trimLater { [failures] in failures.send($0) }
  }

  // MARK: On the queue

  private func onQueue<Output>(_ body: () throws(AppGroupsLogError) -> Output) throws(AppGroupsLogError) -> Output {
    let result = queue.sync { () -> Result<Output, AppGroupsLogError> in
      do throws(AppGroupsLogError) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func register() throws(AppGroupsLogError) {
    guard let consumer else { return }
    // A process that is removing segments may not have seen a new consumer.
    let lock = try consumer.exists ? nil : try consumer.place.lockTrimming(isWaiting: true)
    try saveNow()
    consumer.endExpectation()
    if let lock { withExtendedLifetime(lock.number) {} }
  }

  private func saveNow() throws(AppGroupsLogError) {
    guard lock != nil else { return try saveAfterwards() }
    let positions = audience.positionsToSave()
    let now = DispatchTime.now()
    let isSaved = state.withLock { state in
      state.saved.map { $0.positions == positions && now < $0.time + Self.lifetime } ?? false
    }
    if isSaved { return }
    do throws(AppGroupsLogError) {
      try save(positions)
      state.withLock { $0.saved = (positions, now) }
    } catch let error where error.isAboutNothingThere {
      guard let consumer, try !consumer.place.exists else { throw error }
      // If the log was removed, its positions are meaningless.
      state.withLock { $0.hasFailed = false }
    }
  }

  /// Saves the events that were acknowledged after the last subscription ended.
  private func saveAfterwards() throws(AppGroupsLogError) {
    // An acknowledgement does not restore a removed consumer.
    guard let consumer, audience.withCursor(\.isChanged), try consumer.exists else { return }
    // Only the consumer may save its positions.
    guard let lock = try consumer.lock(creating: false) else { throw consumer.inUse }
    guard let saved = try consumer.load() else { return }
    try save(audience.positionsToSave(besides: saved))
    withExtendedLifetime(lock) {}
  }

  private func save(_ positions: [UUID: LogPosition]) throws(AppGroupsLogError) {
    do throws(AppGroupsLogError) {
      try consumer?.save(positions)
      state.withLock { state in
        state.hasFailed = false
        state.pauses.reset()
      }
    } catch {
      state.withLock { $0.hasFailed = true }
      audience.withCursor { $0.isChanged = true }
      throw error
    }
  }

  private func report(_ body: () throws(AppGroupsLogError) -> Void) {
    do throws(AppGroupsLogError) {
      try body()
    } catch {
      // What a suspended process could not save is saved after it is resumed.
      if !error.isAboutSuspension { failures.send(error) }
    }
  }
}
