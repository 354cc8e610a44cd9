import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Failing live reads", .timeLimit(.minutes(5)))
struct LiveFailureTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("list.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `a failing query keeps its rows, reports why, and recovers with the next change`() async throws {
    let database = try liveDatabase()
    try await database.write { try $0.put(Level(id: 1, level: 5)) }
    let query = database.query(Query<Level>())
    #expect(query.status.value == .connecting)
    let (levels, failures) = (Recorder<[UInt8]>(), query.failures.recorded())
    let completions = Recorder<String>()
    let subscription = query.sink(
      receiveCompletion: { completions.record("\($0)") }, receiveValue: { levels.record($0.map(\.level)) })
    #expect(query.status.value == .current)
    try await database.write { try $0.execute("UPDATE level SET level = 300") }
    let failure = try await failures.first { _ in true }
    #expect("\(failure)".contains("level") && query.status.value.failure == failure)
    try await database.write { try $0.execute("UPDATE level SET level = 6") }
    try await levels.wait(for: [6])
    try await query.status.firstValue { $0 == .current }
    #expect(levels.elements == [[5], [6]] && completions.elements.isEmpty)
    subscription.cancel()
  }

  @Test func `a failing query is retried after a pause, and reports its failure once`() async throws {
    let database = try liveDatabase()
    let isTroubled = Shared(true)
    let reads = Shared(0)
    let query = database.observe { transaction -> Int in
      reads.value += 1
      let busy = SQLiteFailure(extendedCode: 5, message: "locked", path: transaction.path)
      if isTroubled.value { throw DatabaseError.busy(busy) }
      return try transaction.count(Errand.self)
    }
    let (counts, failures) = (Recorder<Int>(), query.failures.recorded())
    let subscription = query.sink { counts.record($0) }
    while reads.value < 3 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(counts.elements.isEmpty && failures.elements.count == 1)
    isTroubled.value = false
    try await counts.wait(for: 0)
    try await query.status.firstValue { $0 == .current }
    subscription.cancel()
  }

  @Test func `a failing row is read again when the database is resumed`() throws {
    let database = try liveDatabase(.file(url))
    try database.write { try $0.put(Level(id: 1, level: 5)) }
    let row = try database.live(Level.self, id: 1)
    try database.write { try $0.execute("UPDATE level SET level = 300") }
    #expect(row.status.value.failure != nil)
    // No announcement and no immediate file-system event reveals this write.
    let foreign = try DatabaseFile(
      location: .file(url), schema: nil, durability: .process, busyTimeout: .seconds(60)
    ).connect()
    try foreign.execute("UPDATE level SET level = 6")
    try database.suspend()
    try database.resume()
    #expect(row.value?.level == 6 && row.status.value == .current)
  }

  @Test func `a query does not end when its database is closed, and reports the closing`() async throws {
    let database = try liveDatabase()
    try await database.write { try $0.put(Errand(id: 1)) }
    let query = database.query(Query<Errand>())
    let failures = query.failures.recorded()
    let ids = Recorder<[Int]>()
    let ends = Recorder<Bool>()
    let subscription = query.sink(
      receiveCompletion: { _ in ends.record(true) }, receiveValue: { ids.record($0.map(\.id)) })
    try database.close()
    try await failures.wait(for: .closed(path: ":memory:"))
    #expect(query.status.value.failure == .closed(path: ":memory:"))
    #expect(ids.elements == [[1]] && ends.elements.isEmpty)
    subscription.cancel()
  }

  @Test func `a failing row reports why, and since when`() async throws {
    let database = try liveDatabase()
    try await database.write { try $0.put(Level(id: 1, level: 5)) }
    let row = try database.live(Level.self, id: 1)
    #expect(row.status.value == .current)
    try await database.write { try $0.execute("UPDATE level SET level = 300") }
    let since = try #require(row.status.value.staleSince)
    try await database.write { try $0.execute("UPDATE level SET level = 301") }
    #expect(row.status.value.staleSince == since && row.value?.level == 5)
    try await database.write { try $0.execute("UPDATE level SET level = 6") }
    #expect(row.status.value == .current && row.value?.level == 6)
  }

  @Test func `a query recovers when an unusable file is replaced by a usable one`() async throws {
    let fixture = try ScopeFixture()
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    try fixture.make("damaged")
    try Data(repeating: 65, count: 5000).write(to: fixture.url(in: "damaged"))
    let database = try fixture.open()
    let query = database.query(Query<Errand>())
    let (titles, failures) = (Recorder<[String]>(), query.failures.recorded())
    let subscription = query.sink { titles.record($0.map(\.title)) }
    try fixture.switchContents(away: "a", in: "damaged")
    _ = try await failures.first { if case .notADatabase = $0 { true } else { false } }
    // The old rows belong to other contents.
    #expect(titles.elements == [["old"], []])
    try fixture.switchContents(away: "damaged", in: "b")
    try await titles.wait(for: ["new"])
    try await query.status.firstValue { $0 == .current }
    subscription.cancel()
  }

  @Test func `a query is read once for all subscribers, and a late one receives the last value first`() async throws {
    let database = try liveDatabase()
    let reads = Shared(0)
    let query = database.observe { transaction -> Int in
      reads.value += 1
      return try transaction.count(Errand.self)
    }
    let (first, second) = (query.recorded(), query.recorded())
    #expect(reads.value == 1 && second.elements == [0])
    try await database.write { try $0.put(Errand(id: 1)) }
    try await first.wait(for: 1)
    try await second.wait(for: 1)
    #expect(reads.value == 2 && query.subscriberCount == 2)
  }

  @Test func `a query follows renamed and new tables, even if no row changes`() async throws {
    let database = try liveDatabase()
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    let query = database.query(Query<Errand>())
    let (titles, failures) = (query.map { $0.map(\.title) }.recorded(), query.failures.recorded())
    try await database.write { try $0.execute("ALTER TABLE errand RENAME TO hidden") }
    #expect("\(try await failures.first { _ in true })".contains("errand"))
    try await database.write { try $0.execute("ALTER TABLE hidden RENAME TO errand") }
    try await query.status.firstValue { $0 == .current }
    let count = database.observe { transaction in
      try transaction.value("SELECT count(*) FROM later")
    }.recorded()
    #expect(count.elements.isEmpty)
    try await database.write { try $0.execute("CREATE TABLE later (id INTEGER PRIMARY KEY)") }
    try await count.wait(for: 0)
    #expect(titles.elements == [["bread"]])
  }

  @Test func `a live query may begin and end at any moment of a write on another thread`() async throws {
    let database = try liveDatabase()
    let isOver = Shared(false)
    async let writing: Void = onThread {
      while !isOver.value { try database.write { try $0.put(Errand(id: 1)) } }
    }
    try await onThread {
      for _ in 0..<Scale.count(5_000, torture: 50_000) { database.query(Query<Errand>()).sink { _ in }.cancel() }
      isOver.value = true
    }
    try await writing
  }

  @Test func `the subscriptions of queries and databases are listed`() async throws {
    let database = try liveDatabase()
    let query = database.query(Query<Errand>())
    let subscription = query.map(\.count).named("badge").sink { _ in }
    let other = database.changes.named("sync").sink { _ in }
    #expect(await query.subscriptions().map(\.description) == ["compactMap → map → \"badge\" → sink"])
    #expect(
      await database.delivery.emitter.subscriptions().map(\.names).sorted { $0[0] < $1[0] } == [
        ["live queries"], ["sync"],
      ])
    #expect(database.delivery.emitter.subscriberCount == 2)
    subscription.cancel()
    other.cancel()
    #expect(await query.subscriptions().isEmpty)
    #expect(await database.delivery.emitter.subscriptions().isEmpty)
  }
}
