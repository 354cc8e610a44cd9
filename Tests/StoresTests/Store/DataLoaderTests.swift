import Foundation
import Signals
import Stores
import TestSupport
import Testing

@Suite("Loading from a server into databases")
struct DataLoaderTests {
  let clock = TestClock()
  let database: Database
  let loader: DataLoader
  let asked = Recorder<Int>()

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Item.self]))
    loader = DataLoader(clock: clock)
  }

  private func load(
    _ database: Database? = nil, gate: Gate? = nil, fails: Bool = false
  ) async throws -> DataLoader.Outcome {
    try await loader.load(into: database ?? self.database, request: "items", freshness: .seconds(60)) { [asked] in
      asked.record(asked.elements.count)
      try await gate?.pass()
      if fails { throw URLError(.badServerResponse) }
      return Item(id: 1, text: "\(asked.elements.count)")
    } storing: { item, transaction in
      try transaction.put(item)
    }
  }

  @Test
  func `a request is repeated only after the freshness interval or an invalidation`() async throws {
    #expect(try await load() == .loaded)
    #expect(try await load() == .fresh)
    await clock.advance(by: .seconds(59))
    #expect(try await load() == .fresh)
    await clock.advance(by: .seconds(1))
    #expect(try await load() == .loaded)
    loader.invalidate(request: "items")
    #expect(try await load() == .loaded)
    #expect(asked.elements.count == 3)
    #expect(try await database.read { try $0.all(Item.self) } == [Item(id: 1, text: "3")])
  }

  @Test
  func `a failed request does not make data fresh`() async throws {
    await #expect(throws: URLError.self) { try await load(fails: true) }
    #expect(try await load() == .loaded)
  }

  @Test
  func `equal concurrent requests are merged, except those into another database`() async throws {
    let gate = Gate()
    let other = try Database(.memory, schema: Schema(version: 1, models: [Item.self]))
    try await withThrowingTaskGroup(of: DataLoader.Outcome.self) { group in
      for _ in 0..<50 { group.addTask { try await load(gate: gate) } }
      group.addTask { try await load(other, gate: gate) }
      try await asked.wait(for: "both databases") { $0.count == 2 }
      gate.open()
      for try await outcome in group { #expect(outcome == .loaded || outcome == .fresh) }
    }
    #expect(asked.elements.count == 2)
  }

  @Test
  func `an answer requested before an invalidation neither makes data fresh nor replaces newer data`() async throws {
    let gate = Gate()
    let early = Task { try await load(gate: gate) }
    try await asked.wait(for: "the first request") { $0.count == 1 }
    loader.invalidate()
    #expect(try await load() == .loaded)
    #expect(asked.elements.count == 2)
    let newer = try await database.read { try $0.all(Item.self) }
    gate.open()
    #expect(try await early.value == .loaded)
    #expect(try await database.read { try $0.all(Item.self) } == newer)
    #expect(try await load() == .fresh)
  }

  @Test
  func `an invalidated answer is stored if no later one succeeds`() async throws {
    let gate = Gate()
    let early = Task { try await load(gate: gate) }
    try await asked.wait(for: "the first request") { $0.count == 1 }
    loader.invalidate()
    await #expect(throws: URLError.self) { try await load(fails: true) }
    gate.open()
    #expect(try await early.value == .loaded)
    #expect(try await database.read { try $0.count(Item.self) } == 1)
    #expect(try await load() == .loaded)
  }

  @Test
  func `an answer never replaces that of a later request, even if the last request fails`() async throws {
    let gate = Gate()
    let early = Task { try await load(gate: gate) }
    try await asked.wait(for: "the first request") { $0.count == 1 }
    loader.invalidate()
    #expect(try await load() == .loaded)
    let newer = try await database.read { try $0.all(Item.self) }
    loader.invalidate()
    await #expect(throws: URLError.self) { try await load(fails: true) }
    try await database.write { try $0.put(Item(id: 2, text: "a mark")) }
    gate.open()
    #expect(try await early.value == .loaded)
    #expect(try await database.read { try $0.find(Item.self, id: 1) } == newer.first)
  }

  @Test
  func `an answer is stored if the request that would have replaced it fails later`() async throws {
    let (first, second) = (Gate(), Gate())
    let early = Task { try await load(gate: first) }
    try await asked.wait(for: "the first request") { $0.count == 1 }
    loader.invalidate()
    let late = Task { try await load(gate: second, fails: true) }
    try await asked.wait(for: "the second request") { $0.count == 2 }
    // A new request must not join the second one.
    loader.invalidate()
    first.open()
    // By now, the first answer is rejected in favor of the second, or will be.
    try await database.write { _ in }
    second.open()
    await #expect(throws: URLError.self) { try await late.value }
    #expect(try await early.value == .loaded)
    #expect(try await database.read { try $0.count(Item.self) } == 1)
  }
}

private struct Item: StoreModel, Equatable {
  static let table = TableSpec("item")
  var id: Int
  var text: String
}
