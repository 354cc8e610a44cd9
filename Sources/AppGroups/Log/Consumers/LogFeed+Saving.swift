import Dispatch
import Foundation
import Signals

/// How far the consumer is, on disk; on the queue.
extension LogFeed {
  /// How long events that were handled may be unsaved: after a crash within that time they come again.
  private static let saveInterval = DispatchTimeInterval.milliseconds(50)
  /// How long a place that has not changed need not be saved again, by which others tell that the consumer still comes.
  private static let saveLifetime = DispatchTimeInterval.seconds(60)
  /// How long to wait at least between two looks at what can be removed.
  private static let trimInterval: UInt64 = 5_000_000_000

  func saveSoon() {
    guard reading.consumer != nil, audience.claimSaving() else { return }
    // What could not be saved is tried again, but not as often.
    let pause = hasFailedToSave ? savePatience.next() : Self.saveInterval
    queue.asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self else { return }
      guard audience.releaseSaving(), run != nil else { return }
      // One that could not be made known is so by this.
      reportingFailure { () throws(AppGroupsLogError) in try hasFailedToSave ? register() : saveNow() }
      if hasFailedToSave { return saveSoon() }
      trimSoon()
    }
  }

  func saveNow() throws(AppGroupsLogError) {
    guard let consumer = reading.consumer else { return }
    guard let run else { return try saveAfterwards(consumer) }
    let positions = audience.positionsToSave(of: run.producers)
    let now = DispatchTime.now()
    if let saved = run.saved, saved.positions == positions, now < saved.time + Self.saveLifetime { return }
    do throws(AppGroupsLogError) {
      try save(positions, of: consumer)
      run.saved = (positions, now)
    } catch let error where error.isAboutNothingThere && !place.exists {
      // With the log, the places in it are gone.
      hasFailedToSave = false
    }
  }

  /// Saves what was acknowledged after the last subscription had ended.
  private func saveAfterwards(_ consumer: ConsumerPlace) throws(AppGroupsLogError) {
    // A consumer that was removed does not come back by that.
    guard audience.isUnsaved, consumer.exists else { return }
    // Who is not the consumer any more must not say how far it is.
    guard let lock = try consumer.lock(creating: false) else { throw .consumerInUse(consumer.name) }
    guard let saved = try consumer.load() else { return }
    try save(audience.positionsToSave(besides: saved), of: consumer)
    withExtendedLifetime(lock) {}
  }

  private func save(_ positions: [UUID: LogPosition], of consumer: ConsumerPlace) throws(AppGroupsLogError) {
    do throws(AppGroupsLogError) {
      try consumer.save(positions)
      hasFailedToSave = false
      savePatience.reset()
    } catch {
      hasFailedToSave = true
      audience.noteUnsaved()
      throw error
    }
  }

  func trimSoon() {
    let now = DispatchTime.now()
    guard reading.consumer != nil, now.uptimeNanoseconds - lastTrim.uptimeNanoseconds > Self.trimInterval
    else { return }
    lastTrim = now
    LogTrimmer(place: place, limits: limits).trimLater { [failures] in failures.send($0) }
  }

  func reportingFailure(_ body: () throws(AppGroupsLogError) -> Void) {
    do throws(AppGroupsLogError) {
      try body()
    } catch {
      failures.send(error)
    }
  }
}
