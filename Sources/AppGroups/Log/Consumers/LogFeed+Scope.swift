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
  func prepareSwitch(_ outcome: ScopeOutcome) {
    guard outcome == .switched else { return }
    let start = start(isNew: true)
    // The directory is excluded from switches.
    if let place = start.place, place === state.withLock({ $0.run?.place }) { return }
    guard let generation = audience.interrupt() else { return }
    state.withLock { $0.next = (start, max(generation, $0.next?.generation ?? 0)) }
  }

  func publishSwitch(_ outcome: ScopeOutcome, into changes: ScopeChanges) {}

  /// Begins to read the new contents, which all members show now.
  func resumeAfterSwitch() {
    let next = state.withLock { state in
      state.postponesBeginnings = false
      return state.next.take()
    }
    guard let next else { return }
    queue.async { [self] in begin(from: next.start, next.generation) }
  }
}
