import Foundation
import Signals

extension LogFeed: ScopeMember {
  var swapStage: ScopeStage { .logs }

  func settleForSwap() { saver?.saveForSwap() }

  func prepareSwap(_ outcome: ScopeOutcome) {
    guard outcome == .swapped else { return }
    let next = start()
    state.withLock { $0.next = next }
  }

  /// Ends the reading of the old contents, after which none of their events is delivered.
  func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard let next = state.withLock({ $0.next.take() }), let generation = audience.interrupt() else { return }
    queue.async { [self] in begin(from: next, generation) }
  }
}
