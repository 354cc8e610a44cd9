public import Signals

/// A job that this process has claimed from a ``WorkQueue``, until it finishes it, gives it back, or loses it.
///
/// ```swift
/// import Stores
///
/// struct Greeting: StoreModel {
///   static let table = TableSpec("greeting")
///   var id: Int64
///   var text: String
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Greeting.self]))
/// let names = WorkQueue<String>("names", in: database)
/// try names.add("Ada")
/// for job in try names.claim() {
///   try job.finish { transaction in
///     try transaction.put(Greeting(id: job.id, text: "Hello, \(job.value)"))
///   }
/// }
/// print(try database.read { try $0.all(Greeting.self).map(\.text) })  // Prints "["Hello, Ada"]"
/// ```
///
/// - **Once.** The result and the end of the job are one transaction. If another worker has claimed the job since,
///   finishing it throws ``DatabaseError/claimLost(queue:job:path:)``, and nothing is written.
/// - **Release.** If the last reference is released before the job has ended, the job waits again. If the process ends,
///   another worker claims the job at once.
/// - **Threads.** All methods may be called from any thread, outside of transactions except where they take one.
public struct ClaimedJob<Job: Codable & Sendable>: Sendable, Identifiable {
  /// The identifier of the job, which no other job of the database ever has.
  public let id: Int64

  /// The job.
  public let value: Job

  /// The number of this attempt, from 1.
  ///
  /// It grows with each claim, so you can pass it to another system as a fence.
  public let attempt: Int

  /// The number of earlier attempts that failed, or whose process ended.
  public let failureCount: Int

  /// The key by which an equal job is recognized while it waits.
  public let key: String?

  let claim: Claim

  /// A Boolean value that indicates whether another worker may have the job, or the job was cancelled.
  ///
  /// It changes once, soon after the loss. It does not replace the check in `finish`, which is exact.
  public var isLost: Property<Bool> {
    claim.engine.followClaims()
    return Property(claim.isLost, keeping: claim)
  }

  /// Ends the job, and writes its result in the same transaction.
  ///
  /// - Parameter body: Writes the result, on this thread. If it throws an error, nothing has changed, and the job stays
  ///   claimed.
  /// - Returns: The result of `body`.
  /// - Throws: ``DatabaseError/claimLost(queue:job:path:)`` if the job is not claimed here any more; `body` is then not
  ///   called. Otherwise the error of `body`, or ``DatabaseError``.
  @discardableResult
  public func finish<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try claim.end(claim.engine.finish, body)
  }

  /// Ends the job, and writes its result in the same transaction, without blocking the threads that tasks run on.
  ///
  /// - Parameter body: Writes the result, on a thread of the database. If it throws an error, nothing has changed, and
  ///   the job stays claimed.
  /// - Returns: The result of `body`.
  /// - Throws: ``DatabaseError/claimLost(queue:job:path:)`` if the job is not claimed here any more; `body` is then not
  ///   called. Otherwise the error of `body`, ``DatabaseError``, or `CancellationError` if the task was cancelled before
  ///   the write began.
  @discardableResult
  public func finish<Result: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await claim.engine.blocking { [claim] in try claim.end(claim.engine.finish, body) }
  }

  /// Ends the job without a result.
  ///
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/claimLost(queue:job:path:)``.
  public func finish() throws(DatabaseError) { try end(claim.engine.finish) }

  /// Ends the job in a transaction of yours, such as one that ends several jobs.
  ///
  /// The job ends when the transaction is committed, and stays claimed otherwise.
  ///
  /// - Parameter transaction: A transaction of the queue's database; another one is a programming error.
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/claimLost(queue:job:path:)``.
  public func finish(in transaction: WriteTransaction) throws(DatabaseError) {
    try claim.end(claim.engine.finish, in: transaction)
  }

  /// Ends the attempt with an error.
  ///
  /// The job is repeated after the next pause of the queue's `retries`. After the last one it is
  /// ``JobState/failed``, with this error.
  ///
  /// - Parameter error: The error; its description is stored.
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/claimLost(queue:job:path:)``.
  public func fail(_ error: any Error) throws(DatabaseError) { try end(claim.engine.failure(error, of: claim)) }

  /// Returns the job to the queue, at its old place.
  ///
  /// The attempt does not count as a failure.
  ///
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/claimLost(queue:job:path:)``.
  public func giveBack() throws(DatabaseError) { try end(.returned) }

  /// Stores the progress of the job, which ``WorkQueue/jobs(_:limit:)`` shows.
  ///
  /// - Parameter progress: A number from 0 to 1. Any other number is stored as the nearest one, and NaN as 0.
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/claimLost(queue:job:path:)``.
  public func report(progress: Double) throws(DatabaseError) {
    let progress = progress.isNaN ? 0 : min(max(progress, 0), 1)
    try DatabaseError.only { try claim.engine.database.write { try claim.change(.progressed(progress), $0) } }
  }

  private func end(_ end: JobTable.ClaimEnd) throws(DatabaseError) {
    try DatabaseError.only { try claim.end(end) { _ in } }
  }
}

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

  /// A Boolean value that indicates whether a transaction was to end the claim, and its result is not known.
  var isEnding: Bool { stage.withLock { $0 } == .ending }

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
    guard engine.isCurrent(worker), engine.fileNumber == fence.file, try JobTable.end(fence, end, transaction) else {
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
