import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Work queues", .patient)
struct WorkQueueTests {
  private struct Refusal: Error, CustomStringConvertible {
    var description: String { "no paper" }
  }

  private let database: Database
  private let queue: WorkQueue<String>

  init() throws {
    database = try Database(.memory)
    queue = WorkQueue("letters", in: database, retries: .constant(.seconds(3_600), limit: 1))
  }

  private func states() throws -> JobCounts {
    try database.read { try JobTable.counts(of: "letters", $0) }
  }

  @Test
  func `jobs are claimed by priority, then by age, and each once`() throws {
    try queue.add("a")
    try queue.add("b", priority: 1)
    try queue.add("c", priority: 1)
    let first = try queue.claim(upTo: 2)
    let second = try queue.claim(upTo: 2)
    #expect(first.map(\.value) == ["b", "c"])
    #expect(second.map(\.value) == ["a"])
    #expect(try queue.claim(upTo: 2).isEmpty)
    withExtendedLifetime((first, second)) {}
  }

  @Test
  func `a job and the change that needs it are added together or not at all`() throws {
    try database.write { try $0.execute("CREATE TABLE letter (id INTEGER PRIMARY KEY)") }
    #expect(throws: Refusal.self) {
      try database.write { transaction in
        try transaction.execute("INSERT INTO letter VALUES (1)")
        try queue.add("lost", in: transaction)
        throw Refusal()
      }
    }
    #expect(try queue.claim().isEmpty)
    try database.write { transaction in
      try transaction.execute("INSERT INTO letter VALUES (1)")
      try queue.add("kept", in: transaction)
    }
    #expect(try queue.claim().map(\.value) == ["kept"])
  }

  @Test
  func `a result is written with the end of its job, and an error keeps the claim`() throws {
    try database.write { try $0.execute("CREATE TABLE sent (text TEXT)") }
    try queue.add("a")
    let job = try #require(try queue.claim().first)
    #expect(throws: Refusal.self) {
      try job.finish { transaction in
        try transaction.execute("INSERT INTO sent VALUES ('half')")
        throw Refusal()
      }
    }
    #expect(try states()[.running] == 1)
    try job.finish { try $0.execute("INSERT INTO sent VALUES (?)", job.value) }
    #expect(try database.read { try $0.rows("SELECT text FROM sent").map { $0[0] } } == ["a"])
    #expect(try states() == JobCounts())
    let lost = DatabaseError.claimLost(queue: "letters", job: job.id, path: ":memory:")
    #expect(databaseError { try job.finish { try $0.execute("INSERT INTO sent VALUES ('twice')") } } == lost)
    #expect(try database.read { try $0.value("SELECT count(*) FROM sent") } == 1)
  }

  @Test
  func `one transaction ends several jobs, and a rollback none`() throws {
    for word in ["a", "b"] { try queue.add(word) }
    let jobs = try queue.claim(upTo: 2)
    #expect(throws: Refusal.self) {
      try database.write { transaction in
        for job in jobs { try job.finish(in: transaction) }
        throw Refusal()
      }
    }
    #expect(try states()[.running] == 2)
    try database.write { transaction in for job in jobs { try job.finish(in: transaction) } }
    #expect(try states() == JobCounts())
  }

  @Test
  func `a job that was ended twice in a transaction that was undone waits again`() async throws {
    try await queue.add("a")
    try endTwice()
    #expect(try await queue.nextClaims().map(\.attempt) == [2])
  }

  private func endTwice() throws {
    let job = try #require(try queue.claim().first)
    let error = databaseError {
      try database.write { transaction in for _ in 0..<2 { try job.finish(in: transaction) } }
    }
    #expect(error == .claimLost(queue: "letters", job: job.id, path: ":memory:"))
  }

  @Test
  func `a released job waits again, with a new number`() async throws {
    try await queue.add("a")
    var job = try queue.claim().first
    #expect(job?.attempt == 1)
    job = nil
    let again = try await queue.nextClaims()
    #expect(again.map(\.attempt) == [2])
    #expect(again.first?.failureCount == 0)
    try again.first?.giveBack()
    #expect(try states()[.waiting] == 1)
  }

  @Test
  func `a failed attempt is repeated later, and the last one is kept with its error`() async throws {
    let id = try await queue.add("a")
    try #require(try queue.claim().first).fail(Refusal())
    let delayed = try #require(try await queue.jobs(.delayed).firstValue { $0.count == 1 }.first)
    #expect(delayed.error == "no paper" && delayed.failureCount == 1 && delayed.job == "a")
    #expect(try #require(delayed.date) > Date() + 3_000)
    #expect(try queue.retry(id))
    let second = WorkQueue<String>("letters", in: database, retries: .constant(.zero, limit: 1))
    for _ in 0..<2 { try #require(try second.claim().first).fail(Refusal()) }
    #expect(try second.claim().isEmpty)
    let failed = try await queue.jobs(.failed).firstValue { $0.count == 1 }
    #expect(failed.map(\.failureCount) == [2])
    #expect(try queue.retry(id) && !queue.retry(id))
    #expect(try queue.claim().map(\.failureCount) == [0])
  }

  @Test
  func `an attempt whose transaction is undone has failed, however late the queue examines that`() async throws {
    try await queue.add("a")
    queue.engine.queue.suspend()
    defer { queue.engine.queue.resume() }
    let working = Task { [queue, database] in
      try await queue.work { job in
        try await database.write { transaction in
          try job.finish(in: transaction)
          throw Refusal()
        }
      }
    }
    let delayed = try await queue.jobs(.delayed).firstValue { $0.count == 1 }
    #expect(delayed.map(\.failureCount) == [1] && delayed.first?.error == "no paper")
    working.cancel()
  }

  @Test
  func `a job is not claimed before its date, and a waiting worker claims it then`() async throws {
    try await queue.add("later", notBefore: Date() + 3_600)
    #expect(try queue.claim().isEmpty)
    let date = Date() + 0.05
    try await queue.add("soon", notBefore: date)
    let jobs = try await queue.nextClaims(upTo: 2)
    #expect(jobs.map(\.value) == ["soon"])
    #expect(Date() >= date)
    #expect(try states()[.delayed] == 1)
  }

  @Test
  func `an equal key is added once, until a worker has claimed it`() throws {
    let first = try queue.add("a", key: "a")
    #expect(try queue.add("a again", key: "a") == first)
    let other = WorkQueue<String>("others", in: database)
    #expect(try other.add("a", key: "a") != first)
    let job = try queue.claim()
    #expect(try queue.add("a, newer", key: "a") != first)
    #expect(try states() == states())
    #expect(try states()[.waiting] == 1)
    withExtendedLifetime(job) {}
  }

  @Test
  func `a cancelled job cannot be finished, and its worker is notified`() async throws {
    let id = try await queue.add("a")
    let job = try #require(try queue.claim().first)
    let isLost = job.isLost
    #expect(!isLost.value)
    #expect(try queue.cancel(id))
    try await isLost.firstValue { $0 }
    #expect(databaseError { try job.finish() } == .claimLost(queue: "letters", job: id, path: ":memory:"))
    #expect(try !queue.cancel(id))
  }

  @Test
  func `ending a job is not reported as its loss`() throws {
    try queue.add("a")
    let job = try #require(try queue.claim().first)
    let isLost = job.isLost
    let seen = Recorder<Bool>()
    let subscription = isLost.sink { seen.record($0) }
    try job.finish()
    subscription.cancel()
    #expect(seen.elements == [false])
  }

  @Test(arguments: [(2, 1), (-1, 0), (.infinity, 1), (-.infinity, 0), (.nan, 0), (0.25, 0.25)] as [(Double, Double)])
  func `progress beyond its range is stored as the nearest number, and NaN as 0`(
    progress: Double, stored: Double
  ) throws {
    try queue.add("a")
    let job = try #require(try queue.claim().first)
    try job.report(progress: progress)
    #expect(try database.read { try $0.value("SELECT progress FROM signals_job") } == .real(stored))
  }

  @Test
  func `progress and counts are live values`() async throws {
    for word in ["a", "b"] { try await queue.add(word) }
    let job = try #require(try queue.claim().first)
    try job.report(progress: 0.5)
    let running = try await queue.jobs(.running).firstValue { !$0.isEmpty }
    #expect(running.map(\.progress) == [0.5])
    let counts = queue.counts.recorded()
    try await counts.first { $0[.running] == 1 && $0[.waiting] == 1 }
    try job.finish()
    try await counts.first { $0[.running] == 0 && $0.unfinished == 1 }
    #expect("\(try states())" == "1 waiting")
  }

  @Test
  func `a job that this program cannot decode is kept for another one`() async throws {
    let id = try await queue.add("a")
    let numbers = WorkQueue<Int>("letters", in: database, retries: .constant(.seconds(3_600)))
    let failures = numbers.failures.recorded()
    #expect(try numbers.claim().isEmpty)
    guard case .invalidJob("letters", id, _, _) = try await failures.first(where: { _ in true }) else {
      Issue.record("another failure was reported")
      return
    }
    #expect(try queue.retry(id))
    #expect(try queue.claim().map(\.value) == ["a"])
  }

  @Test
  func `finished jobs are kept as long as the queue says`() async throws {
    let kept = WorkQueue<String>("letters", in: database, retention: .seconds(3_600))
    let id = try await kept.add("a")
    try #require(try kept.claim().first).finish()
    #expect(try await kept.jobs(.finished).firstValue { !$0.isEmpty }.map(\.id) == [id])
    let brief = WorkQueue<String>("letters", in: database, retention: .zero)
    try await brief.add("b")
    let job = try #require(try brief.claim().first)
    while JobTable.now <= JobTable.milliseconds(of: Date()) - 1 {}
    try job.finish()
    #expect(try states()[.finished] <= 2)
  }

  @Test
  func `work runs up to a number of jobs at once, and ends them by their outcome`() async throws {
    let gate = Recorder<String>()
    let queue = WorkQueue<String>("letters", in: database, retries: .constant(.seconds(3_600), limit: 0))
    for word in ["good", "bad", "slow"] { try await queue.add(word) }
    let worker = Task {
      try await queue.work(upTo: 2) { job in
        gate.record(job.value)
        if job.value == "bad" { throw Refusal() }
        if job.value == "slow" { try await Task.sleep(for: .seconds(3_600)) }
      }
    }
    let counts = try await queue.counts.firstValue { $0[.failed] == 1 && $0[.running] == 1 && $0[.waiting] == 0 }
    #expect(counts.unfinished == 1)
    try await gate.wait { Set($0) == ["good", "bad", "slow"] }
    worker.cancel()
    await #expect(throws: CancellationError.self) { try await worker.value }
    #expect(try states()[.waiting] == 1 && states()[.running] == 0)
  }

  @Test
  func `work cancels the task of a job that is cancelled, and continues`() async throws {
    let id = try await queue.add("slow")
    let started = Recorder<String>()
    let worker = Task { [queue] in
      try await queue.work { job in
        started.record(job.value)
        if job.value == "slow" { try await Task.sleep(for: .seconds(3_600)) }
      }
    }
    try await started.wait(for: "slow")
    try queue.cancel(id)
    try await queue.add("next")
    try await started.wait(for: "next")
    worker.cancel()
    _ = await worker.result
  }

  @Test
  func `a job that is done while the database is suspended ends once, and work goes on`() async throws {
    // A database in memory is never suspended.
    let directory = try TemporaryDirectory()
    let database = try Database(.file(directory.file("letters.sqlite")))
    let queue = WorkQueue<String>("letters", in: database)
    for word in ["a", "b"] { try await queue.add(word) }
    let done = Recorder<String>()
    let worker = Task {
      try await queue.work { job in
        if job.value == "a" { try database.suspend() }
        done.record(job.value)
      }
    }
    try await done.wait(for: "a")
    // Time for the attempt to write the end. If it comes later, the test shows less, and passes.
    try await Task.sleep(for: .milliseconds(200))
    try database.resume()
    try await queue.counts.firstValue { $0.unfinished == 0 }
    #expect(done.elements == ["a", "b"])
    worker.cancel()
    _ = await worker.result
  }

  @Test
  func `a closed database ends the loops of its workers`() async throws {
    let worker = Task { [queue] in try await queue.work { _ in } }
    try await queue.add("a")
    try await queue.counts.firstValue { $0.unfinished == 0 }
    try database.close()
    await #expect(throws: DatabaseError.closed(path: ":memory:")) { try await worker.value }
  }

  @Test
  func `a loop receives each job, and returns the ones that it has not received`() async throws {
    for word in ["a", "b", "c"] { try await queue.add(word) }
    for try await job in queue.claims(upTo: 3) {
      try await job.finish { _ in }
      break
    }
    try await queue.counts.firstValue { $0[.waiting] == 2 && $0[.running] == 0 }
  }
}
