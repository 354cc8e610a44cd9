import Dispatch
import FileSignals
import Foundation
import Signals

extension QueueEngine {
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
      var problem: DatabaseError?
      let oldest = claimLimit.flatMap { limit in beat.map { $0 - Int64(min(limit.inSeconds, 1e12) * 1_000) } }
      for (other, beat) in workers where other != worker.name {
        do throws(DatabaseError) {
          switch try worker.sight(of: other) {
          case .absent: dead.append((other, nil, "the process ended that worked on it"))
          case .unseen: areAllSeen = false
          case .present: break
          }
        } catch {
          // The jobs of one worker that cannot be examined must not keep those of others.
          problem = error
          areAllSeen = false
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
      if let problem { report(problem) } else { state.withLock { $0.reported = nil } }
      areAllSeen ? retriedRescues.reset() : retriedRescues.request { [weak self] in self?.rescueNow() }
    } catch {
      guard database.isUsable else { return }
      report(error)
      retriedRescues.request { [weak self] in self?.rescueNow() }
    }
  }

  // MARK: Signs of life

  /// The present time for signs of life, in milliseconds since the start of the system; `nil` if they are not needed.
  var beat: Int64? {
    guard claimLimit != nil else { return nil }
    return Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)
  }

  func startBeating() {
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
}

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

  func checkClaims() {
    // A claim that is about to end is not lost by that.
    let claims = state.withLock { $0.held.values.compactMap(\.claim) }.filter(\.isHeld)
    guard !claims.isEmpty else { return }
    tolerating {
      let held = try held(Set(claims.map(\.fence)))
      // Its end may have begun and been committed before the read.
      for claim in claims where !held.contains(claim.fence) && claim.isHeld { claim.lose() }
    }
  }

  /// Returns those of some claims whose jobs are still theirs.
  private func held(_ fences: Set<JobTable.Fence>) throws(DatabaseError) -> Set<JobTable.Fence> {
    let held = try database.readValue { transaction throws(DatabaseError) in try JobTable.held(fences, transaction) }
    // Read afterwards: a file that has taken the place since then has other jobs.
    return held.filter { $0.file == fileNumber }
  }

  /// Examines a claim after a transaction that was to end it, soon.
  func settle(_ claim: Claim) {
    // If that fails, the claim is examined when its end matters.
    queue.async { [self] in tolerating { try settleNow(claim) } }
  }

  /// Examines a claim after a transaction that was to end it.
  func settleNow(_ claim: Claim) throws(DatabaseError) {
    guard claim.isEnding else { return }
    claim.settle(isInFile: try !held([claim.fence]).isEmpty)
  }
}

extension QueueEngine {
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
    queue.asyncAfter(wallDeadline: .now() + Double(due - now) / 1_000) { [weak self] in
      guard let self else { return }
      // If the clock has been set back since then, the next look arranges another one.
      state.withLock { if $0.alarm == due { $0.alarm = nil } }
      outlook.refresh()
    }
  }
}

/// The state of a queue for a worker that waits.
///
/// It is not `Equatable`, so that each change is sent: a job may have been taken and returned between two reads.
struct QueueOutlook: Sendable {
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
