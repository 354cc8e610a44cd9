import Foundation
import Signals
import Stores
import TestSupport

/// The history of a queue: jobs that are added, claimed, returned, and finished with an effect.
///
/// A process keeps no claim between two operations, so that all jobs can be finished at the end.
final class QueueHistory: HistoryPlace {
  private let database: Database
  private let queue: WorkQueue<Int>
  private let losesStopped: Bool

  init(_ life: HistoryLife, losesStopped: Bool) throws {
    self.losesStopped = losesStopped
    database = try Database(
      .file(life.directory.appending(path: "place/jobs.sqlite")), busyTimeout: .seconds(60))
    try database.write {
      try $0.execute(
        script: "CREATE TABLE IF NOT EXISTS effect (n INTEGER PRIMARY KEY, id INTEGER, value INTEGER, attempt INTEGER)")
    }
    queue = WorkQueue(
      "jobs", in: database, retries: .constant(.zero), claimLimit: losesStopped ? .milliseconds(3) : nil)
  }

  func step(_ thread: HistoryThread) throws {
    if thread.chance.once(in: 2) { return try add(thread) }
    let number = thread.notes.call(.claim, 0, 0)
    let claimed = try queue.claim().first
    note(claimed, number, thread)
    guard let claimed else { return }
    switch thread.chance.number(below: 8) {
    case 0: try end(claimed, .release, thread) { try claimed.giveBack() }
    case 1: try end(claimed, .release, thread) { try claimed.fail(CommandError(description: "by chance")) }
    // It is released here, and its job returned later.
    case 2: _ = thread.notes.call(.release, Int(claimed.id), claimed.attempt)
    default: try finish(claimed, thread)
    }
  }

  private func add(_ thread: HistoryThread) throws {
    let (value, priority) = (thread.fresh(), thread.chance.number(below: 3))
    try thread.note(.job, 0, value) { try Int(queue.add(value, priority: priority)) }
  }

  private func note(_ claimed: ClaimedJob<Int>?, _ number: Int, _ thread: HistoryThread) {
    if let claimed {
      thread.notes.fill(number, claimed.attempt, losesStopped ? 1 : 0, claimed.value, key: Int(claimed.id))
    }
    thread.notes.answer(number)
  }

  private func finish(_ claimed: ClaimedJob<Int>, _ thread: HistoryThread) throws {
    try end(claimed, .finish, thread) {
      try claimed.finish { transaction in
        _ = try transaction.execute(
          "INSERT INTO effect (id, value, attempt) VALUES (?, ?, ?)", claimed.id, claimed.value, claimed.attempt)
      }
    }
  }

  private func end(
    _ claimed: ClaimedJob<Int>, _ kind: NoteKind, _ thread: HistoryThread, _ body: () throws -> Void
  ) throws {
    try thread.note(kind, Int(claimed.id), claimed.attempt) {
      do {
        try body()
        return 1
      } catch DatabaseError.claimLost {
        return 0
      }
    }
  }

  func readAll(_ thread: HistoryThread) throws {}

  /// Finishes what is left, and notes all effects.
  func settle(_ thread: HistoryThread) async throws {
    while try await database.read({ try $0.value("SELECT count(*) FROM signals_job") }) != 0 {
      let number = thread.notes.call(.claim, 0, 0)
      // The others have no claims any more, except for those of killed processes.
      let claimed = try await queue.nextClaims()[0]
      note(claimed, number, thread)
      try finish(claimed, thread)
    }
    let rows = try await database.read { try $0.rows("SELECT id, value, attempt FROM effect ORDER BY n") }
    for row in rows {
      thread.notes.saw(
        .effect, Int(row[0].int64Value ?? 0), Int(row[1].int64Value ?? 0), Int(row[2].int64Value ?? 0))
    }
  }
}
