import CLibrary
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Work queues: workers in several processes", .patient)
struct QueueProcessTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.file("jobs.sqlite").path }

  private func worker(limit: Int = 0) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("queue \(path) \(limit)")
    return peer
  }

  /// Waits until no job is left; a worker reports that it has claimed one before it writes the effect.
  private func waitForAll() async throws {
    let database = try Database(.file(directory.file("jobs.sqlite")), busyTimeout: .seconds(60))
    try await WorkQueue<Int>("jobs", in: database).counts.firstValue { $0.unfinished == 0 }
  }

  private func effects() throws -> [SQLiteValue] {
    let database = try Database(.file(directory.file("jobs.sqlite")))
    return try database.read { try $0.rows("SELECT job FROM effect ORDER BY job").map { $0[0] } }
  }

  @Test
  func `the jobs of a killed process are claimed by a waiting one`() async throws {
    let (first, second) = (try await worker(), try await worker())
    try await first.send("queue-add 3")
    #expect(try await first.send("queue-claim 3") == "1:1 2:1 3:1")
    try await second.send("queue-report")
    try await second.send("queue-work 1")
    try await first.kill()
    try await second.events.wait { $0.filter { $0.hasPrefix("claimed") }.count == 3 }
    #expect(Set(second.events.elements) == ["claimed 1 2", "claimed 2 2", "claimed 3 2"])
  }

  @Test
  func `a living process keeps its jobs, however long they take`() async throws {
    let (first, second) = (try await worker(), try await worker())
    try await first.send("queue-add 1")
    #expect(try await first.send("queue-claim 1") == "1:1")
    try await second.send("queue-report")
    try await second.send("queue-work 2")
    // The second process looks at all workers whenever the queue changes.
    try await first.send("queue-add 5")
    try await second.events.wait { $0.count >= 5 }
    try await first.send("queue-finish")
    try await waitForAll()
    #expect(second.events.elements.allSatisfy { $0.hasSuffix(" 1") })
    #expect(try effects() == [1, 1, 2, 3, 4, 5])
  }

  @Test
  func `a worker is not taken for an ended one before its announcement is noticed`() async throws {
    let database = try Database(.file(directory.file("jobs.sqlite")))
    let own = try QueueWorker(of: "jobs", beside: database.file.location.url)
    let (first, second) = (try await worker(), try await worker())
    try await first.send("queue-add 2")
    let (isWatching, noticed, goOn) = (MutableProperty(false), Gate(), Gate())
    defer { goOn.open() }
    own.follow {
      guard isWatching.value else { return }
      noticed.open()
      goOn.block()
    }
    isWatching.value = true
    try await first.send("queue-claim 1")
    try await noticed.pass()
    // Announcements are noticed one after the other.
    try await second.send("queue-claim 1")
    let names = try await database.read { transaction in
      try transaction.rows("SELECT worker FROM signals_job ORDER BY id").map { $0[0].stringValue }
    }
    let sights = try names.map { try own.sight(of: #require($0)) }
    #expect(sights[0] != .absent && sights[1] == .unseen)
  }

  @Test
  func `a stopped process keeps its claim without a limit, and cannot finish it after its limit`() async throws {
    let (first, second) = (try await worker(limit: 300), try await worker(limit: 300))
    try await first.send("queue-add 1")
    #expect(try await first.send("queue-claim 1") == "1:1")
    first.signal(SIGSTOP)
    try await second.send("queue-report")
    try await second.send("queue-work 1")
    try await second.events.wait(for: "claimed 1 2")
    first.signal(SIGCONT)
    do {
      try await first.send("queue-finish")
      Issue.record("a lost claim was finished")
    } catch PeerProcess.Failure.refused(_, let answer) {
      #expect(answer.contains("is no longer claimed here"))
    }
    try await waitForAll()
    #expect(try effects() == [1])
  }

  @Test
  func `a job that another process adds is claimed by a waiting one`() async throws {
    let (first, second) = (try await worker(), try await worker())
    try await second.send("queue-report")
    try await second.send("queue-work 2")
    try await first.send("queue-add 5")
    try await second.events.wait { $0.filter { $0.hasPrefix("claimed") }.count == 5 }
  }

  @Test
  func `killed workers lose no job, and none has two effects`() async throws {
    let count = Scale.count(300, torture: 10_000)
    let adder = try await worker()
    try await adder.send("queue-add \(count)")
    var workers: [PeerProcess] = []
    for _ in 0..<3 { workers.append(try await worker()) }
    for worker in workers { try await worker.send("queue-work 2") }
    let database = try Database(.file(directory.file("jobs.sqlite")), busyTimeout: .seconds(60))
    let queue = WorkQueue<Int>("jobs", in: database)
    let counts = queue.counts.recorded()
    var kills = 0
    while counts.elements.last?.unfinished != 0 {
      let seen = counts.elements.count
      try await counts.wait { $0.count > seen || $0.last?.unfinished == 0 }
      let victim = kills % workers.count
      try await workers[victim].kill()
      workers[victim] = try await worker()
      try await workers[victim].send("queue-work 2")
      kills += 1
    }
    #expect(try effects() == (1...Int64(count)).map { .integer($0) })
    #expect(try await database.read { try JobTable.counts(of: "jobs", $0) } == JobCounts())
  }
}
