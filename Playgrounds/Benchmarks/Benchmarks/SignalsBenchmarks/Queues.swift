import Catalog
import CSQLite
import Foundation
import Stores

/// The number of jobs that a worker claims in one transaction.
private let width = 16

private let effects = "CREATE TABLE effect (id INTEGER PRIMARY KEY, job INTEGER NOT NULL)"

/// Jobs that have one effect each, beside the least that a queue in C does, with the same journal and durability.
func registerQueues() {
  measure("queueJob", ours) {
    let queue = OurQueue()
    return { count in
      for index in 0..<count {
        queue.add(index)
        queue.work(1)
      }
    }
  }
  measure("queueJob", "SQLite") {
    let queue = RawQueue()
    return { count in
      for index in 0..<count {
        queue.add(index)
        queue.work(1)
      }
    }
  }
  measure("queueBatch", ours) {
    let queue = OurQueue()
    return { count in
      queue.add(count: count)
      for _ in stride(from: 0, to: count, by: width) { queue.work(width) }
    }
  }
  measure("queueBatch", "SQLite") {
    let queue = RawQueue()
    return { count in
      queue.add(count: count)
      for _ in stride(from: 0, to: count, by: width) { queue.work(width) }
    }
  }
}

private final class OurQueue: Sendable {
  private let database: Stores.Database
  private let jobs: WorkQueue<Int>

  init() {
    do {
      database = try Stores.Database(.file(temporaryFile()))
      try database.write { try $0.execute(script: effects) }
    } catch {
      fatalError("\(error)")
    }
    jobs = WorkQueue("jobs", in: database)
  }

  func add(_ number: Int) { attempt { try jobs.add(number) } }

  func add(count: Int) {
    attempt { try database.write { transaction in for number in 0..<count { try jobs.add(number, in: transaction) } } }
  }

  func work(_ width: Int) {
    attempt {
      for job in try jobs.claim(upTo: width) {
        try job.finish { _ = try $0.execute("INSERT INTO effect (job) VALUES (?)", job.value) }
      }
    }
  }
}

/// A queue as one would write it in C: one statement claims, and a transaction writes the effect and removes the job.
private final class RawQueue: @unchecked Sendable {  // Sound: one thread at a time uses it.
  private var handle: OpaquePointer?
  private var insertion: OpaquePointer?
  private var claim: OpaquePointer?
  private var effect: OpaquePointer?
  private var deletion: OpaquePointer?
  private var begin: OpaquePointer?
  private var commit: OpaquePointer?

  init() {
    sqlite3_open_v2(
      temporaryFile().path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    sqlite3_exec(
      handle,
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \(effects);
      CREATE TABLE job (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, number INTEGER NOT NULL, worker TEXT);
      CREATE INDEX waiting ON job (state, id);
      """, nil, nil, nil)
    insertion = prepare("INSERT INTO job (state, number) VALUES (0, ?)")
    claim = prepare(
      """
      UPDATE job SET state = 1, worker = 'me' WHERE id IN (SELECT id FROM job WHERE state = 0 ORDER BY id LIMIT ?)
      RETURNING id, number
      """)
    effect = prepare("INSERT INTO effect (job) VALUES (?)")
    deletion = prepare("DELETE FROM job WHERE id = ?")
    begin = prepare("BEGIN IMMEDIATE")
    commit = prepare("COMMIT")
  }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    precondition(code == SQLITE_OK)
    return statement
  }

  private func run(_ statement: OpaquePointer?, _ number: Int64? = nil) {
    if let number { sqlite3_bind_int64(statement, 1, number) }
    precondition(sqlite3_step(statement) == SQLITE_DONE)
    sqlite3_reset(statement)
  }

  func add(_ number: Int) { run(insertion, Int64(number)) }

  func add(count: Int) {
    run(begin)
    for number in 0..<count { add(number) }
    run(commit)
  }

  func work(_ width: Int) {
    var jobs: [(id: Int64, number: Int64)] = []
    sqlite3_bind_int64(claim, 1, Int64(width))
    while sqlite3_step(claim) == SQLITE_ROW {
      jobs.append((sqlite3_column_int64(claim, 0), sqlite3_column_int64(claim, 1)))
    }
    sqlite3_reset(claim)
    for job in jobs {
      run(begin)
      run(effect, job.number)
      run(deletion, job.id)
      run(commit)
    }
  }
}
