import Dispatch
import FileSignals
import Signals

/// A consumer saves its position and releases its name while its process is suspended.
extension LogFeed: Suspendable {
  func endWorkForSuspension() {
    audience.setSuspended(true)
    // Waits for the subscribers that are being called.
    queue.sync {}
    saver?.suspend()
  }

  /// Releases the name if the feed has begun to read since the suspension began.
  func releaseForSuspension() { endWorkForSuspension() }

  func resumeAfterSuspension() {
    queue.sync {
      audience.setSuspended(false)
      takeBack()
    }
    // Subscribers that receive many events must not delay the other objects.
    queue.async { [weak self] in self?.continueReading() }
  }

  /// Becomes the consumer again.
  ///
  /// If another process was the consumer in between, reading begins again at its position.
  private func takeBack() {
    let (missed, run) = state.withLock { ($0.refused.take(), $0.run) }
    if let missed { return begin(from: missed.start, missed.generation) }
    guard run != nil else {
      if audience.withCursor(\.isChanged) { saver?.saveAcknowledged() }
      return
    }
    guard let saver, saver.lock == nil else { return }
    if saver.takeBack() {
      saver.saveSoon()
    } else if let generation = audience.interrupt() {
      begin(from: Start(place: nil, ends: audience.positions), generation)
    }
  }
}
