import Dispatch
import FileSignals

/// A shared file holds a lock only during an operation, which a suspension waits for.
extension SharedFileEngine: Suspendable {
  var suspensionStage: SuspensionStage { .readers }

  func resumeAfterSuspension() {
    queue.async { [weak self] in self?.lookNow() }
  }
}
