import FileSignals
public import Foundation
public import Signals

/// A queue of jobs in a database, which the workers of several processes share.
///
/// ```swift
/// import Stores
///
/// struct Thumbnail: Codable {
///   var photo: Int
/// }
///
/// let database = try Database(.memory)
/// let thumbnails = WorkQueue<Thumbnail>("thumbnails", in: database)
/// try thumbnails.add(Thumbnail(photo: 1))
/// try thumbnails.add(Thumbnail(photo: 2), priority: 1)
///
/// for try await job in thumbnails.claims() {
///   print("photo", job.value.photo)
///   try job.finish()
///   if job.value.photo == 1 { break }
/// }
/// // Prints "photo 2"
/// // Prints "photo 1"
/// ```
///
/// - **Atomicity.** Adding a job can be a part of your own transaction, and so can finishing it. So a job exists if and
///   only if the change that needs it is stored, and its result is written exactly once.
/// - **Workers.** A claim ends with its process, however that ends: the kernel reports the end, and another worker
///   claims the job at once. There is no timeout. A process that is stopped keeps its claims, at most for the
///   `claimLimit` of the queue.
/// - **Fences.** Each claim has a number. A worker that was stopped, and whose job was claimed by another one since,
///   cannot finish it.
/// - **Order.** Jobs with a higher priority are claimed first, and older jobs first among those with the same priority.
/// - **Failures.** A job that fails, or whose process ends, is repeated up to the limit of `retries`. Then it is kept
///   as ``JobState/failed`` until it is retried or removed.
/// - **Latency.** Workers in the same process, and in processes that share the database with ``DatabaseShare``, are
///   notified of a new job at once. Workers in other processes notice it some hundredths of a second later.
/// - **Switches.** A queue follows its database. Jobs that were claimed before a switch belong to the contents in which
///   they were claimed: finishing one throws ``DatabaseError/claimLost(queue:job:path:)``, and the job waits there.
/// - **Storage.** Jobs are rows of the table `signals_job`, as JSON. ``Database/changes`` and live queries include it.
///   A database with ``DatabasePolicy/cache`` loses its jobs when it is emptied.
/// - **Threads.** All methods may be called from any thread.
///
/// All processes must open a queue with the same settings.
public final class WorkQueue<Job: Codable & Sendable>: Sendable {
  /// The name of the queue.
  public let name: String

  let engine: QueueEngine

  /// Opens a queue, which exists as soon as a job has been added.
  ///
  /// - Parameters:
  ///   - name: The name of the queue in the database.
  ///   - database: The database.
  ///   - retries: The pauses after failed attempts, and the number of failures after which a job is kept as failed.
  ///   - claimLimit: The longest time for which a process that is stopped keeps its claims. A running process renews
  ///     them by itself. Without a limit, a process keeps its claims until it ends, and stores no signs of life.
  ///   - retention: The time for which finished jobs are kept; `nil` removes them at once.
  public init(
    _ name: String, in database: Database,
    retries: Backoff = .exponential(from: .seconds(1), upTo: .seconds(3_600), jitter: 0.2, limit: 20),
    claimLimit: Duration? = nil, retention: Duration? = nil
  ) {
    self.name = name
    engine = QueueEngine(name, in: database, retries: retries, claimLimit: claimLimit, retention: retention)
  }

  /// A signal of the failures of the queue's own work, such as returning the jobs of a dead worker.
  ///
  /// A later subscriber receives the last few. The errors of jobs are not among them; see ``jobs(_:limit:)``.
  public var failures: some Signal<DatabaseError, Never> { KeptSignal(upstream: engine.failures, owner: engine) }

  // MARK: Adding

  /// Adds a job as a part of a transaction.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - priority: The priority; jobs with a higher one are claimed first.
  ///   - date: The time from which the job may be claimed, by the system's clock.
  ///   - key: A key, if the job is to be added only once. If a job of the queue with the same key is waiting or delayed,
  ///     that one stays as it is, and none is added. A job that a worker has claimed does not count, because it may
  ///     have read older data.
  ///   - transaction: A transaction of the queue's database; one of another database is a programming error.
  /// - Returns: The identifier of the job, or of the equal one that waits.
  /// - Throws: ``DatabaseError``. Nothing has then been added.
  @discardableResult
  public func add(
    _ job: Job, priority: Int = 0, notBefore date: Date? = nil, key: String? = nil, in transaction: WriteTransaction
  ) throws(DatabaseError) -> Int64 {
    engine.check(transaction)
    return try JobTable.add(addition(job, priority, date, key), to: name, transaction)
  }

  /// Adds a job.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - priority: The priority; jobs with a higher one are claimed first.
  ///   - date: The time from which the job may be claimed, by the system's clock.
  ///   - key: A key, if the job is to be added only once; see ``add(_:priority:notBefore:key:in:)``.
  /// - Returns: The identifier of the job, or of the equal one that waits.
  /// - Throws: ``DatabaseError``. Nothing has then been added.
  @discardableResult
  public func add(
    _ job: Job, priority: Int = 0, notBefore date: Date? = nil, key: String? = nil
  ) throws(DatabaseError) -> Int64 {
    let addition = try addition(job, priority, date, key)
    return try DatabaseError.only { try engine.database.write { try JobTable.add(addition, to: name, $0) } }
  }

  /// Adds a job without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - priority: The priority; jobs with a higher one are claimed first.
  ///   - date: The time from which the job may be claimed, by the system's clock.
  ///   - key: A key, if the job is to be added only once; see ``add(_:priority:notBefore:key:in:)``.
  /// - Returns: The identifier of the job, or of the equal one that waits.
  /// - Throws: ``DatabaseError``, or `CancellationError` if the task was cancelled before the write began. Nothing has
  ///   then been added.
  @discardableResult
  public func add(
    _ job: Job, priority: Int = 0, notBefore date: Date? = nil, key: String? = nil
  ) async throws -> Int64 {
    let addition = try addition(job, priority, date, key)
    return try await engine.database.write { [name] in try JobTable.add(addition, to: name, $0) }
  }

  private func addition(
    _ job: Job, _ priority: Int, _ date: Date?, _ key: String?
  ) throws(DatabaseError) -> JobTable.Addition {
    JobTable.Addition(job: try engine.encode(job), priority: priority, due: date, key: key)
  }

  // MARK: Observing

  /// The number of jobs in each state, as a live value.
  ///
  /// Each read takes time in proportion to the number of jobs.
  public var counts: LiveQuery<JobCounts> {
    engine.database.observe { [name] transaction in try JobTable.counts(of: name, transaction) }
  }

  /// Returns the jobs in a state, as a live value.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - limit: The largest number of jobs.
  /// - Returns: The jobs: waiting ones in the order in which they will be claimed, delayed ones by their date, running
  ///   ones by their identifier, and the others with the newest first.
  public func jobs(_ state: JobState, limit: Int = 100) -> LiveQuery<[QueuedJob<Job>]> {
    engine.database.observe { [name] transaction in
      try JobTable.jobs(state, of: name, limit: limit, transaction) { text in
        // A newer program may have added a job that this one cannot decode.
        tolerating(else: nil) { try JobCoding.decode(Job.self, from: text) }
      }
    }
  }

  // MARK: Managing

  /// Removes a job, whatever its state is.
  ///
  /// The worker that has claimed it learns that its claim is lost, and cannot finish it. In ``work(upTo:_:)``, its task
  /// is cancelled.
  ///
  /// - Parameter id: The identifier of the job.
  /// - Returns: `true` if the job existed.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func cancel(_ id: Int64) throws(DatabaseError) -> Bool {
    try DatabaseError.only { try engine.database.write { try JobTable.remove(id, from: name, $0) } }
  }

  /// Makes a failed or delayed job wait, without regard to its earlier failures.
  ///
  /// - Parameter id: The identifier of the job.
  /// - Returns: `true` if the job was failed or delayed.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func retry(_ id: Int64) throws(DatabaseError) -> Bool {
    try DatabaseError.only { try engine.database.write { try JobTable.retry(id, of: name, $0) } }
  }
}
