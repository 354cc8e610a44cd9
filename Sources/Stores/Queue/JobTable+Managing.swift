import Foundation

extension JobTable {
  static func remove(_ id: Int64, from queue: String, _ transaction: WriteTransaction) throws(DatabaseError) -> Bool {
    try make(transaction).change("DELETE FROM signals_job WHERE id = ? AND queue = ?", [.integer(id), .text(queue)]) > 0
  }

  static func retry(_ id: Int64, of queue: String, _ transaction: WriteTransaction) throws(DatabaseError) -> Bool {
    try make(transaction).change(
      """
      UPDATE signals_job SET state = 0, failures = 0, due = NULL, progress = NULL, changed = ?
      WHERE id = ? AND queue = ? AND state IN (1, 3)
      """, [.integer(now), .integer(id), .text(queue)]) > 0
  }

  // MARK: Reading

  static func counts(of queue: String, _ transaction: ReadTransaction) throws(DatabaseError) -> JobCounts {
    var counts = JobCounts()
    guard try exists(transaction) else { return counts }
    for row in try transaction.rows("SELECT state, count(*) FROM signals_job WHERE queue = ? GROUP BY state", queue) {
      guard let state = row[0].int64Value.flatMap(JobState.init) else { continue }
      counts[state] = Int(row[1].int64Value ?? 0)
    }
    return counts
  }

  static func jobs<Job>(
    _ state: JobState, of queue: String, limit: Int, _ transaction: ReadTransaction, _ decode: (String) -> Job?
  ) throws(DatabaseError) -> [QueuedJob<Job>] {
    guard try exists(transaction) else { return [] }
    let order =
      switch state {
      case .waiting: "priority DESC, id"
      case .delayed: "due, id"
      case .running: "id"
      case .failed, .finished: "changed DESC, id DESC"
      }
    // The state is a part of the text, so that its partial index is used.
    return try transaction.rows(
      """
      SELECT id, job, priority, key, due, attempt, failures, error, progress, added, changed FROM signals_job
      WHERE queue = ? AND state = \(state.rawValue) ORDER BY \(order) LIMIT ?
      """, queue, max(0, limit)
    ).map { row in
      QueuedJob(
        id: row[0].int64Value ?? 0, job: row[1].stringValue.flatMap(decode), state: state,
        priority: Int(row[2].int64Value ?? 0), key: row[3].stringValue, date: date(row[4]),
        attempt: Int(row[5].int64Value ?? 0), failureCount: Int(row[6].int64Value ?? 0), error: row[7].stringValue,
        progress: row[8].doubleValue, added: date(row[9]) ?? .distantPast, changed: date(row[10]) ?? .distantPast)
    }
  }
}
