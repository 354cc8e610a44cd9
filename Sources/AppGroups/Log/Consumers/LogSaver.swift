import Dispatch
import FileSignals
import Foundation
import Signals

/// Saves a consumer's cursor, on a queue of its own, so that a slow subscriber does not delay it.
final class LogSaver: @unchecked Sendable {
  // Sound: what changes belongs to the queue.

  /// How long events that were handled may be unsaved: after a crash within that time they come again.
  private static let interval = Duration.milliseconds(50)
  /// How long a place that has not changed need not be saved again, by which others tell that the consumer still comes.
  private static let lifetime = DispatchTimeInterval.seconds(60)
  /// How long to wait at least between two looks at what can be removed.
  private static let trimInterval: UInt64 = 5_000_000_000

  private let consumer: ConsumerPlace
  private let limits: LogLimits
  private let audience: LogAudience
  private let failures: Emitter<AppGroupsLogError, Never>
  private let queue = DispatchQueue(label: "org.signals.log.save", qos: .userInitiated)

  /// The consumer's lock, while the log is read.
  private var lock: ConsumerLock?
  /// What was saved last since then, and when.
  private var saved: (positions: [UUID: LogPosition], time: DispatchTime)?
  private var hasFailed = false
  private var pauses = Backoff.unreadable.pauses()
  private var lastTrim = DispatchTime(uptimeNanoseconds: 0)

  init(
    _ consumer: ConsumerPlace, limits: LogLimits, audience: LogAudience, failures: Emitter<AppGroupsLogError, Never>
  ) {
    self.consumer = consumer
    self.limits = limits
    self.audience = audience
    self.failures = failures
  }

  // MARK: From the feed

  /// Begins to save, and makes the consumer known, so that from now on nothing is removed that it has not handled.
  ///
  /// - Parameter lock: The consumer's lock, which is held until ``end(unlessReplaced:)``.
  /// - Throws: ``AppGroupsLogError`` if the cursor cannot be written; that is then tried again.
  func begin(_ lock: ConsumerLock) throws(AppGroupsLogError) {
    try onQueue { () throws(AppGroupsLogError) in
      self.lock = lock
      saved = nil
      do throws(AppGroupsLogError) {
        try register()
      } catch {
        // Until it is made known, what it has not handled may be removed.
        hasFailed = true
        audience.noteUnsaved()
        throw error
      }
    }
  }

  /// Saves what is unsaved, and releases the consumer's lock.
  ///
  /// - Parameter unlessReplaced: Whether to save nothing if the lock's file has been removed, after which another
  ///   process may be the consumer.
  func end(unlessReplaced: Bool) {
    queue.sync {
      guard let lock else { return }
      if !unlessReplaced || lock.isInPlace { report { () throws(AppGroupsLogError) in try saveNow() } }
      self.lock = nil
      saved = nil
    }
  }

  /// Saves within ``interval``, if there is something new.
  func saveSoon() {
    guard audience.claimSaving() else { return }
    queue.async { [self] in
      // What could not be saved is tried again, but not as often.
      let pause = (hasFailed ? pauses.next() : nil) ?? Self.interval
      queue.async(after: pause) { [weak self] in self?.saveClaimed() }
    }
  }

  private func saveClaimed() {
    guard audience.releaseSaving(), lock != nil else { return }
    // One that could not be made known is so by this.
    report { () throws(AppGroupsLogError) in try hasFailed ? register() : saveNow() }
    if hasFailed { return saveSoon() }
    trimOnQueue()
  }

  /// Saves what was acknowledged: at once if no subscription is left, because the feed may be released before later.
  func saveAcknowledged() {
    queue.async { [self] in
      if lock != nil { return saveSoon() }
      // A subscriber that waits to begin takes it along.
      if audience.isEmpty { report { () throws(AppGroupsLogError) in try saveNow() } }
    }
  }

  /// Saves now.
  ///
  /// - Parameter feedQueue: The feed's queue, which is waited for only if the log is not read yet.
  /// - Throws: ``AppGroupsLogError`` if the cursor cannot be written.
  func save(after feedQueue: DispatchQueue) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async { [self] in
        if lock != nil { return continuation.resume(with: Result { try saveNow() }) }
        feedQueue.async { [self] in
          continuation.resume(with: Result { try onQueue { () throws(AppGroupsLogError) in try saveNow() } })
        }
      }
    }
  }

  /// Removes the segments that no consumer needs any more, unless that was done a moment ago.
  func trimSoon() {
    queue.async { [self] in trimOnQueue() }
  }

  private func trimOnQueue() {
    let now = DispatchTime.now()
    guard now.uptimeNanoseconds - lastTrim.uptimeNanoseconds > Self.trimInterval else { return }
    lastTrim = now
    LogTrimmer(place: consumer.place, limits: limits).trimLater { [failures] in failures.send($0) }
  }

  // MARK: On the queue

  private func onQueue(_ body: () throws(AppGroupsLogError) -> Void) throws(AppGroupsLogError) {
    let result = queue.sync { () -> Result<Void, AppGroupsLogError> in
      do throws(AppGroupsLogError) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func register() throws(AppGroupsLogError) {
    // A process that is removing segments may not have seen a consumer that is new.
    guard !consumer.exists, let lock = try consumer.place.lockTrimming(isWaiting: true) else { return try saveNow() }
    try saveNow()
    withExtendedLifetime(lock.number) {}
  }

  private func saveNow() throws(AppGroupsLogError) {
    guard lock != nil else { return try saveAfterwards() }
    let positions = audience.positionsToSave()
    let now = DispatchTime.now()
    if let saved, saved.positions == positions, now < saved.time + Self.lifetime { return }
    do throws(AppGroupsLogError) {
      try save(positions)
      saved = (positions, now)
    } catch let error where error.isAboutNothingThere && !consumer.place.exists {
      // With the log, the places in it are gone.
      hasFailed = false
    }
  }

  /// Saves what was acknowledged after the last subscription had ended.
  private func saveAfterwards() throws(AppGroupsLogError) {
    // A consumer that was removed does not come back by that.
    guard audience.isUnsaved, consumer.exists else { return }
    // Only the consumer may say how far it is.
    guard let lock = try consumer.lock(creating: false) else { throw .consumerInUse(consumer.name) }
    guard let saved = try consumer.load() else { return }
    try save(audience.positionsToSave(besides: saved))
    withExtendedLifetime(lock) {}
  }

  private func save(_ positions: [UUID: LogPosition]) throws(AppGroupsLogError) {
    do throws(AppGroupsLogError) {
      try consumer.save(positions)
      hasFailed = false
      pauses.reset()
    } catch {
      hasFailed = true
      audience.noteUnsaved()
      throw error
    }
  }

  private func report(_ body: () throws(AppGroupsLogError) -> Void) {
    do throws(AppGroupsLogError) {
      try body()
    } catch {
      failures.send(error)
    }
  }
}
