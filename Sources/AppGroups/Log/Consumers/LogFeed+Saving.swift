import Dispatch
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
    queue.asyncAfter(deadline: .now() + Self.saveInterval) { [weak self] in
      guard let self else { return }
      guard audience.releaseSaving(), run != nil else { return }
      reportingFailure { () throws(AppGroupsLogError) in try saveNow() }
      trimSoon()
    }
  }

  func saveNow() throws(AppGroupsLogError) {
    // Who is not the consumer any more must not say how far it is.
    guard let consumer = reading.consumer, let run else { return }
    let positions = audience.positionsToSave(of: run.producers)
    let now = DispatchTime.now()
    if let saved = run.saved, saved.positions == positions, now < saved.time + Self.saveLifetime { return }
    do throws(AppGroupsLogError) {
      try consumer.save(positions)
      run.saved = (positions, now)
    } catch let error where error.isAboutNothingThere && !place.exists {
      // With the log, the places in it are gone.
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
