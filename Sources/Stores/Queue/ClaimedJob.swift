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
  /// - Parameter progress: A number from 0 to 1.
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/claimLost(queue:job:path:)``.
  public func report(progress: Double) throws(DatabaseError) {
    try DatabaseError.only { try claim.engine.database.write { try claim.change(.progressed(progress), $0) } }
  }

  private func end(_ end: JobTable.ClaimEnd) throws(DatabaseError) {
    try DatabaseError.only { try claim.end(end) { _ in } }
  }
}
