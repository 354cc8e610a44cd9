import FileSignals
import Signals

/// A change of environments holds locks until it ends.
extension ContainerEngine: Suspendable {
  var suspensionStage: SuspensionStage { .roots }

  var delaysSuspensionOnThisThread: Bool { isChangedByThisThread }

  func endWorkForSuspension() { waitForChange() }

  /// Follows the switches of other processes before any object of the root is used again.
  func resumeAfterSuspension() { follow() }
}
