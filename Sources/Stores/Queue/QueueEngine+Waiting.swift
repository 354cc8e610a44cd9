import Dispatch
import FileSignals
import Foundation
import Signals

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
    queue.asyncAfter(wallDeadline: .now() + Double(due - now) / 1_000) { [weak self] in self?.outlook.refresh() }
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
