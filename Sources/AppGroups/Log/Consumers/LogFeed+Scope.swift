import Foundation
import Signals

extension LogFeed: ScopeMember {
  var swapStage: ScopeStage { .logs }

  func settleForSwap() {
    state.withLock { $0.postponesBeginnings = true }
    saver?.saveForSwap()
  }

  /// Ends the reading of the old contents, after which none of their events is delivered or counts as handled.
  ///
  /// No member has published the new contents yet. Otherwise, a loop could find them, skip the event that it has, and
  /// ask for the next.
  func prepareSwap(_ outcome: ScopeOutcome) {
    guard outcome == .swapped else { return }
    let start = start(isNew: true)
    // The directory is excluded from swaps.
    if let place = start.place, place === state.withLock({ $0.run?.place }) { return }
    guard let generation = audience.interrupt() else { return }
    state.withLock { $0.next = (start, max(generation, $0.next?.generation ?? 0)) }
  }

  func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {}

  /// Begins to read the new contents, which all members show now.
  func resumeAfterSwap() {
    let next = state.withLock { state in
      state.postponesBeginnings = false
      return state.next.take()
    }
    guard let next else { return }
    queue.async { [self] in begin(from: next.start, next.generation) }
  }
}
