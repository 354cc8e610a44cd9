import AppGroups
import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// The part of a queue that does not depend on the type of its jobs: its worker, its claims, and their clean-up.
final class QueueEngine: Sendable {
  let database: Database
  let name: String
  let retries: Backoff
  let claimLimit: Duration?
  private let retention: Duration?

  /// The failures of work in the background.
  let failures: FailureRelay<DatabaseError>

  let queue = DispatchQueue(label: "org.signals.queue", qos: .userInitiated)
  /// Returns the jobs of dead workers to the queue.
  let rescues: DelayedCall
  /// Repeats rescues as long as they fail, or as long as a worker has not been seen.
  let retriedRescues: DelayedCall
  /// Looks for claims that were lost.
  let checks: DelayedCall
  /// Returns the jobs of claims that were released.
  private let returns: DelayedCall

  struct Held {
    weak let claim: Claim?
  }

  struct State {
    var worker: QueueWorker?
    var held: [JobTable.Fence: Held] = [:]
    /// The claims that were released before they ended.
    var released: Set<JobTable.Fence> = []
    /// The time of the next job that is delayed.
    var alarm: Int64?
    var isBeating = false
    /// The observation of claims that are lost.
    var following: SignalSubscription?
    /// The observation of the end of the database.
    var ending: SignalSubscription?
    /// The failure that was reported last, until the work succeeds.
    var reported: DatabaseError?
  }

  let state = Guarded(State())
  let outlook: LiveQuery<QueueOutlook>
  private let enrolment = Guarded<SignalSubscription?>(nil)

  init(_ name: String, in database: Database, retries: Backoff, claimLimit: Duration?, retention: Duration?) {
    self.name = name
    self.database = database
    self.retries = retries
    self.claimLimit = claimLimit
    failures = FailureRelay(of: "WorkQueue", database.location.path, replay: 16)
    self.retention = retention
    rescues = DelayedCall(.constant(.zero), on: queue)
    retriedRescues = DelayedCall(.exponential(from: .milliseconds(1), upTo: .seconds(1)), on: queue)
    checks = DelayedCall(.constant(.zero), on: queue)
    returns = DelayedCall(.exponential(from: .milliseconds(1), upTo: .seconds(5)), on: queue)
    outlook = database.observe(scheduling: .async) { transaction in try QueueOutlook(of: name, transaction) }
    let enrolment = database.location == .memory ? nil : database.scope?.enrol(self)
    self.enrolment.withLock { $0 = enrolment }
    let ending = database.status.sink { [weak self, weak database] _ in
      // The jobs of a database that is closed for good cannot be finished here.
      if database?.isUsable == false { self?.state.withLock { $0.worker.take() }?.end() }
    }
    state.withLock { $0.ending = ending }
  }

  /// Reports a failure of work in the background, unless it was reported last.
  func report(_ failure: DatabaseError) {
    // The work continues when the process is resumed.
    if case .suspended = failure { return }
    let isNew = state.withLock { exchange(&$0.reported, with: failure) != failure }
    if isNew { failures.send(failure) }
  }

  // MARK: The worker

  /// Returns the worker of the present contents, which is announced if it is new.
  func worker() throws(DatabaseError) -> QueueWorker {
    if let worker = state.withLock({ $0.worker }) { return worker }
    // A switch would leave the announcement behind.
    return try Database.steadily(database.scope, database.location) { () throws(DatabaseError) in
      let new = try QueueWorker(of: name, beside: database.file.location.url)
      let worker = state.withLock { state in
        if state.worker == nil { state.worker = new }
        return state.worker ?? new
      }
      if worker === new { new.follow { [weak self] in self?.rescue() } }
      return worker
    }
  }

  /// Returns whether claims of a worker are valid; inside a transaction, this cannot change.
  func isCurrent(_ worker: QueueWorker) -> Bool { state.withLock { $0.worker } === worker }

  /// The number of the database's file, after those that it has replaced; inside a transaction, it cannot change.
  var fileNumber: Int { database.writer.replacements.load(ordering: .relaxed) }

  /// Stops the program if a transaction belongs to another database.
  func check(_ transaction: WriteTransaction) {
    let isOwn = database.writer.transactionOfThisThread === transaction
    // Another object may have the same file open.
    if isOwn || database.location != .memory && transaction.path == database.file.location.path { return }
    stop(because: "A job cannot be added or finished in a transaction of another database than that of its queue")
  }

  // MARK: Claiming

  /// Claims waiting jobs.
  func claim(_ limit: Int) throws(DatabaseError) -> [(claim: Claim, row: JobTable.Claimed)] {
    guard limit > 0 else { return [] }
    try database.refuseNesting("write")
    while true {
      let worker = try worker()
      let found = try DatabaseError.only {
        try database.write { transaction in
          // The contents may have been switched since.
          isCurrent(worker)
            ? (try JobTable.claim(limit, of: name, by: worker.name, beat: beat, transaction), file: fileNumber) : nil
        }
      }
      guard let (rows, file) = found else { continue }
      let claimed = rows.map { row in
        let fence = JobTable.Fence(id: row.id, attempt: row.attempt, worker: worker.name, file: file)
        return (claim: Claim(fence, failures: row.failures, worker: worker, engine: self), row: row)
      }
      let isFollowing = state.withLock { state in
        for (claim, _) in claimed { state.held[claim.fence] = Held(claim: claim) }
        return state.following != nil
      }
      // A claim that was lost before it was registered is found now.
      if !isCurrent(worker) { for (claim, _) in claimed { claim.lose() } }
      if isFollowing, !claimed.isEmpty { checks.request { [weak self] in self?.checkClaims() } }
      if !claimed.isEmpty { startBeating() }
      return claimed
    }
  }

  /// Forgets a claim that was released, and returns its job to the queue unless it has ended.
  func forget(_ fence: JobTable.Fence, isEnded: Bool) {
    state.withLock { state in
      state.held[fence] = nil
      if !isEnded { state.released.insert(fence) }
    }
    if !isEnded { returns.request { [self] in returnReleased() } }
  }

  private func returnReleased() {
    let (released, worker) = state.withLock { (exchange(&$0.released, with: []), $0.worker?.name) }
    do {
      try database.write { transaction in
        for fence in released where fence.worker == worker && fence.file == fileNumber {
          _ = try JobTable.end(fence, .returned, transaction)
        }
      }
      returns.reset()
      state.withLock { $0.reported = nil }
    } catch {
      guard database.isUsable, let error = error as? DatabaseError else { return }
      report(error)
      state.withLock { $0.released.formUnion(released) }
      returns.request { [self] in returnReleased() }
    }
  }

  func trim(_ transaction: WriteTransaction) throws(DatabaseError) {
    guard let retention else { return }
    try JobTable.trim(name, before: Date() - retention.inSeconds, transaction)
  }

  /// The change of a job that is done.
  var finish: JobTable.ClaimEnd { retention == nil ? .removed : .kept }

  /// Returns the change of a job whose attempt has failed.
  func failure(_ error: any Error, of claim: Claim) -> JobTable.ClaimEnd {
    let reason = String(describing: error)
    guard let pause = retries.pause(after: min(claim.failures, .max - 1) + 1) else { return .failed(reason) }
    return .delayed(Date() + pause.inSeconds, reason)
  }

  /// Ends the attempt of a job that cannot be decoded.
  func refuse(_ claim: Claim, _ reason: DatabaseError) {
    failures.send(reason)
    // If that fails, the job waits again when the claim is released.
    tolerating { try claim.end(failure(reason, of: claim)) { _ in } }
  }

  func encode(_ job: some Encodable) throws(DatabaseError) -> String {
    try translating(JobCoding.encode(job)) { (error: any Error) in
      DatabaseError.invalidJob(
        queue: name, job: nil, path: database.location.path, reason: CodingReason.words(for: error))
    }
  }

  /// Runs a call that may wait for another process, without blocking the threads that tasks run on.
  func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await database.asyncWrites.run(body)
  }
}

extension QueueEngine: ScopeMember {
  package var switchStage: ScopeStage { .dependents }

  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    PreparedSwitch { [self] changes in
      guard outcome == .switched else { return }
      // The claims belong to the old contents, and so does the announcement.
      let (worker, held) = state.withLock { state in
        state.released = []
        return (state.worker.take(), state.held.values.compactMap(\.claim))
      }
      changes.afterwards {
        worker?.end()
        for claim in held { claim.lose() }
      }
    }
  }
}

extension Database {
  /// A Boolean value that indicates whether the database is open, or may be opened again.
  var isUsable: Bool { !writer.isClosed }
}
