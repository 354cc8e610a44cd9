import FileSignals

/// A session reads its archive again after a suspension, and tries failed writes and renewals again.
extension SessionEngine: Suspendable {
  var suspensionStage: SuspensionStage { .readers }

  func resumeAfterSuspension() {
    look()
    submit(.wake(isResuming: true))
  }
}
