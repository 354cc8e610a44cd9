import FileSignals
import Foundation
import Signals

/// Following the changes of other processes.
extension ContainerEngine {
  /// A Boolean value that indicates whether the live values have followed every switch, and no switch is in progress.
  var hasFollowed: Bool {
    tolerating(else: false) {
      // The order matters: the journal exists before the first file moves, until the state records that all have moved.
      guard try store.journalData() == nil, let data = try store.stateData() else { return false }
      if let seen = seenState.withLock({ $0 }), seen.data == data { return seen.switches == known.switches }
      let state = try store.state(from: data, at: layout.stateURL)
      seenState.withLock { $0 = (data, state.switches) }
      return state.switches == known.switches
    }
  }

  var mark: FileStamp? {
    // The order matters, as above. A journal that is hidden by an error is not known to be gone.
    guard FileStatus.ifReadable(path: layout.journalURL.path) == nil, errno == ENOENT else { return nil }
    return FileStamp.ifReadable(path: layout.stateURL.path)
  }

  /// Follows a change by another process, or undoes a change during which that process died.
  func follow() { follow(readsAgain: false) }

  /// Follows; if `readsAgain` is `true`, the records are read again even if there was no change.
  private func follow(readsAgain: Bool) {
    if turn.isHeldByThisThread { return }
    do {
      guard try readsAgain || isBehind() else { return }
      // The change may have been made by this process, which may have removed the root afterwards.
      _ = try inTurn(
        "Following another process", isForSubscribers: true, ifDue: { try readsAgain || isBehind() },
        { access in if readsAgain { access.accept(access.state) } })
      lastFailure.withLock { $0 = nil }
    } catch {
      // The next change of the file calls this method again.
      let error = AppContainerError(mapping: error)
      report(error)
      if error.mayPassUnseen { retryLater() }
    }
  }

  /// Reads the state and the records again after a while.
  func retryLater() {
    retries.request { [weak self] in self?.follow(readsAgain: true) }
  }

  /// Reports an error that keeps this process from following, unless the previous report was the same.
  private func report(_ error: AppContainerError) {
    switch error {
    // This thread is inside a change, which checks the state again when it ends. A suspended process follows when it is
    // resumed.
    case .nested, .suspended, .file(.suspended): return
    default: break
    }
    let words = error.description
    let isNew = lastFailure.withLock { last in
      defer { last = words }
      return last != words
    }
    if isNew { failures.send(error) }
  }

  private func isBehind() throws(AppContainerError) -> Bool {
    // The writer of a journal holds the lock until it is done or dead, and this waits for the lock.
    if try store.journal() != nil { return true }
    guard let state = try store.state() else { return false }
    return state.revision != known.revision
  }
}

/// A change of environments holds locks until it ends.
extension ContainerEngine: Suspendable {
  var suspensionStage: SuspensionStage { .roots }

  var delaysSuspensionOnThisThread: Bool { isChangedByThisThread }

  func endWorkForSuspension() { waitForChange() }

  /// Follows the switches of other processes before any object of the root is used again.
  func resumeAfterSuspension() { follow() }
}
