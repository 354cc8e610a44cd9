import Signals

/// The right of this process to work on a job, until it ends the claim or loses it.
final class Claim: Sendable {
  let fence: JobTable.Fence
  let failures: Int
  let worker: QueueWorker
  let engine: QueueEngine

  /// A Boolean value that indicates whether the claim was lost.
  let isLost = MutableProperty(false)

  private let stage = Guarded(Stage.held)

  private enum Stage {
    case held
    /// A transaction that ends the claim has begun, and its result is not known.
    case ending
    case ended
    case lost
  }

  init(_ fence: JobTable.Fence, failures: Int, worker: QueueWorker, engine: QueueEngine) {
    self.fence = fence
    self.failures = failures
    self.worker = worker
    self.engine = engine
  }

  deinit {
    // A claim that counts as lost may be valid, if the transaction that ended it twice was undone.
    engine.forget(fence, isEnded: stage.withLock { $0 } == .ended)
  }

  /// A Boolean value that indicates whether the claim is neither ended nor about to end.
  var isHeld: Bool { stage.withLock { $0 } == .held }

  var error: DatabaseError { .claimLost(queue: engine.name, job: fence.id, path: engine.database.location.path) }

  /// Ends the claim in a transaction of its own.
  func end<Result>(_ end: JobTable.ClaimEnd, _ body: (WriteTransaction) throws -> Result) throws -> Result {
    stage.withLock { if $0 == .held { $0 = .ending } }
    do {
      let result = try engine.database.write { transaction in
        try change(end, transaction)
        return try body(transaction)
      }
      stage.withLock { $0 = .ended }
      return result
    } catch {
      stage.withLock { if $0 == .ending { $0 = .held } }
      throw error
    }
  }

  /// Ends the claim when a transaction of the caller is committed.
  func end(_ end: JobTable.ClaimEnd, in transaction: WriteTransaction) throws(DatabaseError) {
    engine.check(transaction)
    try change(end, transaction)
    stage.withLock { if $0 == .held { $0 = .ending } }
    engine.database.afterTransaction { [self] in engine.settle(self) }
  }

  /// Changes the row of the claim.
  func change(_ end: JobTable.ClaimEnd, _ transaction: WriteTransaction) throws(DatabaseError) {
    guard engine.isCurrent(worker), try JobTable.end(fence, end, transaction) else {
      lose()
      throw self.error
    }
    if end.isFinish { try engine.trim(transaction) }
  }

  /// Records whether the row of the claim still belongs to it, after a transaction that was to end it.
  func settle(isInFile: Bool) {
    stage.withLock { if $0 == .ending { $0 = isInFile ? .held : .ended } }
  }

  /// Records that the claim was lost.
  func lose() {
    let isNews = stage.withLock { stage in
      if stage == .ended || stage == .lost { return false }
      stage = .lost
      return true
    }
    if isNews { isLost.value = true }
  }
}

extension JobTable.ClaimEnd {
  /// A Boolean value that indicates whether the job has been done.
  fileprivate var isFinish: Bool {
    switch self {
    case .removed, .kept: true
    default: false
    }
  }
}
