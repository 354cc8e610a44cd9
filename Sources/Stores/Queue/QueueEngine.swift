import AppGroups
import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals

/// The part of a queue that does not depend on the type of its jobs: its worker, its claims, and their clean-up.
final class QueueEngine: Sendable {
  let database: Database
  let name: String
  let retries: Backoff
  private let claimLimit: Duration?
  private let retention: Duration?

  /// The failures of work in the background.
  let failures = Emitter<DatabaseError, Never>(replay: 16)

  private let queue = DispatchQueue(label: "org.signals.queue", qos: .userInitiated)
  /// Returns the jobs of dead workers to the queue.
  private let rescues: DelayedCall
  /// Repeats rescues as long as they fail, or as long as a worker has not been seen.
  private let retriedRescues: DelayedCall
  /// Looks for claims that were lost.
  private let checks: DelayedCall
  /// Returns the jobs of claims that were released.
  private let returns: DelayedCall

  private struct Held {
    weak let claim: Claim?
  }

  private struct State {
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

  private let state = Guarded(State())
  private let outlook: LiveQuery<QueueOutlook>
  private let enrolment = Guarded<SignalSubscription?>(nil)

  init(_ name: String, in database: Database, retries: Backoff, claimLimit: Duration?, retention: Duration?) {
    self.name = name
    self.database = database
    self.retries = retries
    self.claimLimit = claimLimit
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
  private func report(_ failure: DatabaseError) {
    let isNew = state.withLock { exchange(&$0.reported, with: failure) != failure }
    if isNew { failures.send(failure) }
  }

  // MARK: The worker

  /// Returns the worker of the present contents, which is announced if it is new.
  private func worker() throws(DatabaseError) -> QueueWorker {
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

  // MARK: Claiming

  /// Claims waiting jobs.
  func claim(_ limit: Int) throws(DatabaseError) -> [(claim: Claim, row: JobTable.Claimed)] {
    guard limit > 0 else { return [] }
    try database.refuseNesting("write")
    while true {
      let worker = try worker()
      let rows = try DatabaseError.only {
        try database.write { transaction in
          // The contents may have been switched since.
          isCurrent(worker)
            ? try JobTable.claim(limit, of: name, by: worker.name, beat: beat, transaction) : nil
        }
      }
      guard let rows else { continue }
      let claimed = rows.map { row in
        let fence = JobTable.Fence(id: row.id, attempt: row.attempt, worker: worker.name)
        return (claim: Claim(fence, failures: row.failures, worker: worker, engine: self), row: row)
      }
      state.withLock { state in
        for (claim, _) in claimed { state.held[claim.fence] = Held(claim: claim) }
      }
      // A claim that was lost before it was registered is found now.
      if !isCurrent(worker) { for (claim, _) in claimed { claim.lose() } }
      if claimLimit != nil, !claimed.isEmpty { startBeating() }
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
        for fence in released where fence.worker == worker { _ = try JobTable.end(fence, .returned, transaction) }
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
    guard let pause = retries.pause(after: claim.failures + 1) else { return .failed(reason) }
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

  // MARK: Dead workers

  /// Returns the jobs of workers that have ended to the queue.
  func rescue() {
    rescues.request { [weak self] in self?.rescueNow() }
  }

  private func rescueNow() {
    guard let worker = state.withLock({ $0.worker }), database.isUsable else { return }
    do throws(DatabaseError) {
      let workers = try database.readValue { [name] transaction throws(DatabaseError) in
        try JobTable.workers(of: name, transaction)
      }
      var (dead, areAllSeen): ([(name: String, beat: Int64?, reason: String)], Bool) = ([], true)
      let oldest = claimLimit.flatMap { limit in beat.map { $0 - Int64(limit.inSeconds * 1_000) } }
      for (other, beat) in workers where other != worker.name {
        switch try worker.sight(of: other) {
        case .absent: dead.append((other, nil, "the process ended that worked on it"))
        case .unseen: areAllSeen = false
        case .present: break
        }
        if let oldest, let beat, beat < oldest { dead.append((other, oldest, "the process stopped that worked on it")) }
      }
      if !dead.isEmpty {
        try DatabaseError.only {
          try database.write { transaction in
            guard isCurrent(worker) else { return }
            for (other, beat, reason) in dead {
              try JobTable.release(name, from: other, before: beat, limit: retries.limit, because: reason, transaction)
            }
          }
        }
      }
      state.withLock { $0.reported = nil }
      areAllSeen ? retriedRescues.reset() : retriedRescues.request { [weak self] in self?.rescueNow() }
    } catch {
      guard database.isUsable else { return }
      report(error)
      retriedRescues.request { [weak self] in self?.rescueNow() }
    }
  }

  // MARK: Signs of life

  /// The present time for signs of life, in milliseconds since the start of the system; `nil` if they are not needed.
  private var beat: Int64? {
    guard claimLimit != nil else { return nil }
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  private func startBeating() {
    guard let claimLimit, state.withLock({ !exchange(&$0.isBeating, with: true) }) else { return }
    beatLater(after: max(claimLimit / 3, .milliseconds(1)))
  }

  private func beatLater(after pause: Duration) {
    queue.async(after: pause) { [weak self] in
      guard let self, database.isUsable, let beat else { return }
      let (worker, isWorking) = state.withLock { ($0.worker, !$0.held.isEmpty) }
      if let worker, isWorking {
        do {
          try database.write { [name] transaction in
            try JobTable.renew(name, of: worker.name, beat: beat, transaction)
          }
        } catch {
          if let error = error as? DatabaseError, self.database.isUsable { report(error) }
        }
      }
      rescue()
      beatLater(after: pause)
    }
  }

  // MARK: Waiting

  /// A signal that is sent when a job may be waiting, and when the database is closed.
  var wakes: some Signal<Void, Never> {
    let jobs = outlook.compactMap { [weak self] in self?.note($0) }
    let ends = database.status.compactMap { status -> Void? in if case .closed = status { () } else { nil } }
    return jobs.merge(with: ends)
  }

  /// Announces this process, so that it follows the other workers while it waits.
  func prepareToWait() throws(DatabaseError) {
    _ = try worker()
    startBeating()
  }

  /// Returns whether a job may be waiting, and arranges another look for jobs that will be.
  private func note(_ found: QueueOutlook) -> Void? {
    let worker = state.withLock { $0.worker }
    if let worker, found.workers.contains(where: { $0 != worker.name && !worker.hasSeen($0) }) { rescue() }
    let now = JobTable.now
    if let due = found.due, due > now { setAlarm(due, now) }
    return found.isReady(at: now) ? () : nil
  }

  /// Arranges another look when a delayed job is due, even if the clock is set.
  private func setAlarm(_ due: Int64, _ now: Int64) {
    // Times in the far future have no representation.
    let due = min(due, now + 86_400_000)
    let isNew = state.withLock { state in
      if let alarm = state.alarm, alarm <= due, alarm > now { return false }
      state.alarm = due
      return true
    }
    guard isNew else { return }
    let time = timespec(tv_sec: Int(due / 1_000), tv_nsec: Int(due % 1_000) * 1_000_000)
    queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: time)) { [weak self] in self?.outlook.refresh() }
  }
}

/// The state of a queue for a worker that waits.
///
/// It is not `Equatable`, so that each change is sent: a job may have been taken and returned between two reads.
private struct QueueOutlook: Sendable {
  private var hasWaiting = false
  /// The time when the first delayed job is due.
  private(set) var due: Int64?
  /// The workers that have jobs.
  private(set) var workers: Set<String> = []

  init(of queue: String, _ transaction: ReadTransaction) throws(DatabaseError) {
    guard try JobTable.exists(transaction) else { return }
    let row = try transaction.row(
      """
      SELECT EXISTS (SELECT 1 FROM signals_job WHERE queue = ?1 AND state = 0),
        (SELECT min(due) FROM signals_job WHERE queue = ?1 AND state = 1)
      """, queue)
    hasWaiting = row?[0] == 1
    due = row?[1].int64Value
    workers = Set(try JobTable.workers(of: queue, transaction).keys)
  }

  func isReady(at now: Int64) -> Bool { hasWaiting || due.map { $0 <= now } ?? false }
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
  fileprivate var isUsable: Bool { !writer.isClosed }
}
