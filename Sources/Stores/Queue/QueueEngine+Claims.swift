import Dispatch
import FileSignals
import Signals

extension QueueEngine {
  // MARK: Lost claims

  /// Notifies claims that are lost, from now on.
  func followClaims() {
    guard state.withLock({ $0.following == nil }) else { return }
    let subscription = database.changes.sink { [weak self] changes in
      let jobs = changes[SQL.jobTable]
      if !jobs.isEmpty { self?.check(jobs) }
    }
    let extra = state.withLock { state in
      guard state.following == nil else { return subscription as SignalSubscription? }
      state.following = subscription
      return nil
    }
    extra?.cancel()
    checks.request { [weak self] in self?.checkClaims() }
  }

  private func check(_ jobs: TableChanges) {
    let isTouched = state.withLock { state in
      jobs.isEverything ? !state.held.isEmpty : state.held.keys.contains { jobs.touches(.integer($0.id)) }
    }
    if isTouched { checks.request { [weak self] in self?.checkClaims() } }
  }

  private func checkClaims() {
    // A claim that is about to end is not lost by that.
    let claims = state.withLock { $0.held.values.compactMap(\.claim) }.filter(\.isHeld)
    guard !claims.isEmpty else { return }
    tolerating {
      let held = try database.readValue { [fences = Set(claims.map(\.fence))] transaction throws(DatabaseError) in
        try JobTable.held(fences, transaction)
      }
      // Its end may have begun and been committed before the read.
      for claim in claims where !held.contains(claim.fence) && claim.isHeld { claim.lose() }
    }
  }

  /// Examines a claim after a transaction that was to end it.
  func settle(_ claim: Claim) {
    queue.async { [self] in
      tolerating {
        let held = try database.readValue { transaction throws(DatabaseError) in
          try JobTable.held([claim.fence], transaction)
        }
        claim.settle(isInFile: !held.isEmpty)
      }
    }
  }
}
