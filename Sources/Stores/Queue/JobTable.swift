import FileSignals
import Foundation
import Signals

/// The table of the jobs of all queues of a database.
///
/// Identifiers are never reused, so a claim can never be taken for the claim of a later job.
enum JobTable {
  private static let script = """
    CREATE TABLE IF NOT EXISTS signals_job (
      id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, state INTEGER NOT NULL, priority INTEGER NOT NULL,
      due INTEGER, job NOT NULL, key TEXT, attempt INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
      error TEXT, progress REAL, worker TEXT, beat INTEGER, added INTEGER NOT NULL, changed INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS signals_job_waiting ON signals_job (queue, priority DESC, id) WHERE state = 0;
    CREATE INDEX IF NOT EXISTS signals_job_delayed ON signals_job (queue, due) WHERE state = 1;
    CREATE INDEX IF NOT EXISTS signals_job_running ON signals_job (queue, worker) WHERE state = 2;
    CREATE INDEX IF NOT EXISTS signals_job_ended ON signals_job (queue, state, changed) WHERE state > 2;
    CREATE INDEX IF NOT EXISTS signals_job_key ON signals_job (queue, key) WHERE key IS NOT NULL AND state < 2
    """

  /// The mark of a connection whose file has the table.
  private final class Mark {}

  /// Creates the table, unless it exists.
  static func make(_ transaction: WriteTransaction) throws(DatabaseError) -> SQLiteConnection {
    let connection = try transaction.connection
    let key = ObjectIdentifier(Mark.self)
    // The attachments are removed when tables have changed.
    if connection.attachments[key] != nil { return connection }
    if try !exists(transaction) { try connection.execute(script) }
    connection.attachments[key] = Mark()
    return connection
  }

  /// Returns whether the file has the table; a tracked read depends on it in any case.
  static func exists(_ transaction: ReadTransaction) throws(DatabaseError) -> Bool {
    let connection = try transaction.connection
    connection.tracking?.region.insert(table: SQL.jobTable)
    return try connection.value("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'signals_job'") != .null
  }

  /// The time in milliseconds since 1970.
  static var now: Int64 { milliseconds(of: Date()) }

  static func milliseconds(of date: Date) -> Int64 {
    let time = (date.timeIntervalSince1970 * 1_000).rounded(.up)
    // A date that is no number, too, is never due.
    return time < -9e18 ? .min : time < 9e18 ? Int64(time) : .max
  }

  static func date(_ value: SQLiteValue) -> Date? {
    value.int64Value.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
  }

  // MARK: Adding

  /// A job that is to be added.
  struct Addition: Sendable {
    let job: String
    var priority = 0
    var due: Date?
    var key: String?
  }

  /// Adds a job, unless an equal one waits, and returns its identifier.
  static func add(
    _ addition: Addition, to queue: String, _ transaction: WriteTransaction
  ) throws(DatabaseError) -> Int64 {
    let connection = try make(transaction)
    if let key = addition.key {
      let waiting = try connection.value(
        "SELECT id FROM signals_job WHERE queue = ? AND key = ? AND key IS NOT NULL AND state < 2 ORDER BY id",
        [.text(queue), .text(key)])
      if let id = waiting.int64Value { return id }
    }
    let now = now
    let due = addition.due.map(milliseconds).flatMap { $0 > now ? $0 : nil }
    try connection.run(
      "INSERT INTO signals_job (queue, state, priority, due, job, key, added, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text(queue), .integer(due == nil ? 0 : 1), .integer(Int64(addition.priority)),
        due.map { .integer($0) } ?? .null,
        .text(addition.job), addition.key.map { .text($0) } ?? .null, .integer(now), .integer(now),
      ])
    return connection.lastInsertedRowID
  }

  // MARK: Claiming

  /// A row that was claimed.
  struct Claimed: Sendable {
    let id: Int64
    let attempt: Int64
    let failures: Int
    let priority: Int
    let job: String
    let key: String?
  }

  /// Claims the first waiting jobs, in the order of their priority and identifier.
  static func claim(
    _ limit: Int, of queue: String, by worker: String, beat: Int64?, _ transaction: WriteTransaction
  ) throws(DatabaseError) -> [Claimed] {
    let connection = try make(transaction)
    let now = SQLiteValue.integer(now)
    try connection.run(
      "UPDATE signals_job SET state = 0, due = NULL WHERE queue = ? AND state = 1 AND due <= ?", [.text(queue), now])
    let claimed = try connection.withStatement(
      """
      UPDATE signals_job SET state = 2, attempt = attempt + 1, worker = ?, beat = ?, changed = ? WHERE id IN (
        SELECT id FROM signals_job WHERE queue = ? AND state = 0 ORDER BY priority DESC, id LIMIT ?)
      RETURNING id, attempt, failures, priority, job, key
      """,
      [.text(worker), beat.map { .integer($0) } ?? .null, now, .text(queue), .integer(Int64(limit))]
    ) { statement throws(DatabaseError) in
      var claimed: [Claimed] = []
      while try statement.step() {
        claimed.append(
          Claimed(
            id: statement.int64(at: 0), attempt: statement.int64(at: 1), failures: Int(statement.int64(at: 2)),
            priority: Int(statement.int64(at: 3)), job: statement.string(at: 4),
            key: statement.value(at: 5).stringValue))
      }
      return claimed
    }
    // The statement returns the rows in any order.
    return claimed.count < 2 ? claimed : claimed.sorted { ($1.priority, $0.id) < ($0.priority, $1.id) }
  }

  /// The identity of a claim: the job, the number of the attempt, and the worker.
  struct Fence: Hashable, Sendable {
    let id: Int64
    let attempt: Int64
    let worker: String
    /// The number of the file in the process, which is not stored: another file has other jobs with the same numbers.
    let file: Int
  }

  private static let fence = "WHERE id = ? AND attempt = ? AND worker = ? AND state = 2"

  /// Changes or removes the row of a claim.
  ///
  /// - Returns: `false` if the claim is lost; then nothing has changed.
  static func end(
    _ fence: Fence, _ end: ClaimEnd, _ transaction: WriteTransaction
  ) throws(DatabaseError) -> Bool {
    let connection = try make(transaction)
    let now = SQLiteValue.integer(now)
    let (statement, arguments): (String, [SQLiteValue]) =
      switch end {
      case .removed: ("DELETE FROM signals_job", [])
      case .kept: ("UPDATE signals_job SET state = 4, worker = NULL, progress = NULL, changed = ?", [now])
      case .returned: ("UPDATE signals_job SET state = 0, worker = NULL, progress = NULL, changed = ?", [now])
      case .failed(let reason):
        (
          "UPDATE signals_job SET state = 3, failures = failures + 1, error = ?, worker = NULL, changed = ?",
          [.text(reason), now]
        )
      case .delayed(let date, let reason):
        (
          """
          UPDATE signals_job SET state = 1, failures = failures + 1, due = ?, error = ?, worker = NULL, progress = NULL,
            changed = ?
          """, [.integer(milliseconds(of: date)), .text(reason), now]
        )
      case .progressed(let progress):
        ("UPDATE signals_job SET progress = ?", [.real(progress)])
      }
    let identity: [SQLiteValue] = [.integer(fence.id), .integer(fence.attempt), .text(fence.worker)]
    return try connection.change("\(statement) \(Self.fence)", arguments + identity) == 1
  }

  /// The change of a claimed job.
  enum ClaimEnd: Sendable {
    /// It is finished, and removed.
    case removed
    /// It is finished, and kept for a while.
    case kept
    /// It waits again.
    case returned
    /// It is kept as failed.
    case failed(String)
    /// It is repeated later.
    case delayed(Date, String)
    /// It stays claimed, and has come this far.
    case progressed(Double)
  }

  /// Removes the jobs that were finished before a date.
  static func trim(_ queue: String, before date: Date, _ transaction: WriteTransaction) throws(DatabaseError) {
    try make(transaction).run(
      "DELETE FROM signals_job WHERE queue = ? AND state = 4 AND changed < ?",
      [.text(queue), .integer(milliseconds(of: date))])
  }

  // MARK: Workers

  /// Returns the workers of running jobs, and the lowest of their signs of life.
  static func workers(of queue: String, _ transaction: ReadTransaction) throws(DatabaseError) -> [String: Int64?] {
    guard try exists(transaction) else { return [:] }
    let rows = try transaction.rows(
      "SELECT worker, min(beat) FROM signals_job WHERE queue = ? AND state = 2 GROUP BY worker", queue)
    return Dictionary(rows.map { ($0[0].stringValue ?? "", $0[1].int64Value) }) { first, _ in first }
  }

  /// Returns the jobs of a worker to the queue, because its process has ended or stands still.
  ///
  /// Only the ones with an older sign of life than `beat` are returned, or all if that is `nil`. A job that has failed
  /// `limit` times is not repeated.
  static func release(
    _ queue: String, from worker: String, before beat: Int64?, limit: Int?, because reason: String,
    _ transaction: WriteTransaction
  ) throws(DatabaseError) {
    try make(transaction).run(
      """
      UPDATE signals_job SET state = iif(failures >= ?, 3, 0), failures = failures + 1, error = ?, worker = NULL,
        progress = NULL, changed = ?
      WHERE queue = ? AND worker = ? AND state = 2 AND (? IS NULL OR beat < ?)
      """,
      [
        .integer(Int64(limit ?? .max)), .text(reason), .integer(now), .text(queue), .text(worker),
        beat.map { .integer($0) } ?? .null, beat.map { .integer($0) } ?? .null,
      ])
  }

  /// Renews the signs of life of a worker's jobs.
  static func renew(
    _ queue: String, of worker: String, beat: Int64, _ transaction: WriteTransaction
  ) throws(DatabaseError) {
    try make(transaction).run(
      "UPDATE signals_job SET beat = ? WHERE queue = ? AND worker = ? AND state = 2",
      [.integer(beat), .text(queue), .text(worker)])
  }

  /// Returns the claims among some that are still valid.
  static func held(_ fences: Set<Fence>, _ transaction: ReadTransaction) throws(DatabaseError) -> Set<Fence> {
    guard try exists(transaction) else { return [] }
    var held: Set<Fence> = []
    for fence in fences {
      let row = try transaction.row("SELECT attempt, worker FROM signals_job WHERE id = ? AND state = 2", fence.id)
      if let row, row[0] == .integer(fence.attempt), row[1] == .text(fence.worker) { held.insert(fence) }
    }
    return held
  }
}
