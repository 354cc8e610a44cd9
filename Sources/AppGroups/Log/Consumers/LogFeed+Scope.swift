import Dispatch
import FileSignals
import Foundation
import Signals

extension LogFeed: ScopeMember {
  var switchStage: ScopeStage { .logs }

  func settleForSwitch() {
    state.withLock { $0.postponesBeginnings = true }
    saver?.saveForSwitch()
  }

  /// Ends the reading of the old contents, after which none of their events is delivered or counts as handled.
  ///
  /// No member has published the new contents yet. Otherwise, a loop could find them, skip the event that it has, and
  /// ask for the next.
  func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    let next = outcome == .switched ? endOldContents() : nil
    return PreparedSwitch(resume: { [self] in endSwitch(next) })
  }

  /// Returns the start of the new contents; `nil` if the directory is excluded from switches, or nobody reads.
  private func endOldContents() -> (start: Start, generation: Int)? {
    let start = start(isNew: true)
    if let place = start.place, place === state.withLock({ $0.run?.place }) { return nil }
    guard let generation = audience.interrupt() else {
      saver?.leave()
      return nil
    }
    return (start, generation)
  }

  /// Begins to read the new contents, which all members show now, or what was postponed.
  private func endSwitch(_ next: (start: Start, generation: Int)?) {
    let postponed = state.withLock { state in
      state.postponesBeginnings = false
      return state.postponed.take()
    }
    guard let start = next?.start ?? postponed?.start else { return }
    let generation = max(next?.generation ?? 0, postponed?.generation ?? 0)
    queue.async { [self] in begin(from: start, generation) }
  }
}

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
