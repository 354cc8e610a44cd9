import Foundation
import Signals
import Stores
import TestSupport
import Testing

@Suite("A live object", .patient)
struct LiveObjectTests {
  let database: Database

  init() throws {
    database = try liveDatabase()
  }

  @Test
  func `an object has its row's value when a write returns`() async throws {
    let errand = try database.live(Errand.self, id: 1)
    #expect(errand.value == nil)
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    #expect(errand.value?.title == "bread")
    try errand.update { $0.isDone = true }
    #expect(errand.value == Errand(id: 1, title: "bread", isDone: true))
  }

  @Test
  func `deletion is a value, and so is a row inserted again`() async throws {
    let errand = try database.live(Errand.self, id: 1)
    let values = errand.recorded()
    try await database.write { try $0.put(Errand(id: 1, title: "first")) }
    try await database.write { _ = try $0.delete(Errand.self, id: 1) }
    try await database.write { try $0.put(Errand(id: 1, title: "second")) }
    try await database.write { try $0.execute("DELETE FROM errand") }
    #expect(values.elements.map { $0?.title } == [nil, "first", nil, "second", nil])
    #expect(try errand.update { $0.isDone = true } == nil)
  }

  @Test
  func `an object is shared by all callers, and released with the last reference`() throws {
    var first: LiveObject? = try database.live(Errand.self, id: 1)
    #expect(try database.live(Errand.self, id: 1) === first)
    #expect(try database.live(Errand.self, id: 2) !== first)
    weak let gone = first
    first = nil
    #expect(gone == nil)
  }

  @Test
  func `a subscription keeps the row observed after the object is released`() async throws {
    let values = try database.live(Errand.self, id: 1).recorded()
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    #expect(values.elements.map { $0?.title } == [nil, "bread"])
  }

  @Test
  func `changes of other rows and equal values are not sent`() async throws {
    let errand = try database.live(Errand.self, id: 1)
    let values = errand.recorded()
    try await database.write { try $0.put((1...10).map { Errand(id: $0) }) }
    try await database.write { try $0.put(Errand(id: 2, title: "other")) }
    try await database.write { try $0.put(Errand(id: 1)) }
    #expect(values.elements == [nil, Errand(id: 1)])
  }

  @Test
  func `a row that changes its key disappears under the old key and appears under the new one`()
    async throws
  {
    try await database.write { try $0.put(Errand(id: 2, title: "bread")) }
    let (old, new) = (try database.live(Errand.self, id: 2), try database.live(Errand.self, id: 20))
    try await database.write { try $0.execute("UPDATE errand SET id = 20 WHERE id = 2") }
    #expect(old.value == nil && new.value?.title == "bread")
    try await database.write { try $0.execute("INSERT OR REPLACE INTO errand VALUES (20, 'milk', 0)") }
    #expect(new.value?.title == "milk")
    try await database.write { try $0.execute("DELETE FROM errand") }
    #expect(new.value == nil)
  }

  @Test
  func `rows are observed by keys of any type, even in tables without row ids`() async throws {
    struct Ticket: StoreModel, Equatable {
      static let table = TableSpec("ticket")
      var id: UUID
      var number = 0
    }
    let plain = try Database(.memory)
    try await plain.write {
      try $0.execute("CREATE TABLE ticket (id TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID")
    }
    let id = UUID()
    let (ticket, other) = (try plain.live(Ticket.self, id: id), try plain.live(Ticket.self, id: UUID()))
    let values = ticket.recorded()
    try await plain.write { try $0.put(Ticket(id: id, number: 1)) }
    try await plain.write { try $0.execute("UPDATE ticket SET number = 2 WHERE id = ?", id) }
    try await plain.write { try $0.execute("DELETE FROM ticket") }
    #expect(values.elements.map { $0?.number } == [nil, 1, 2, nil])
    #expect(other.value == nil)
  }

  @Test
  func `concurrent updates lose nothing`() async throws {
    try await database.write { try $0.put(Opaque(id: "count")) }
    let count = try database.live(Opaque.self, id: "count")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<100 { try await onThread { _ = try count.update { $0.number += 1 } } } }
      }
      try await group.waitForAll()
    }
    try await count.firstValue { $0?.number == 400 }
  }

  @Test
  func `an update that throws changes nothing`() async throws {
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    let errand = try database.live(Errand.self, id: 1)
    #expect(throws: CancellationError.self) {
      try errand.update { errand in
        errand.title = "milk"
        throw CancellationError()
      }
    }
    #expect(errand.value?.title == "bread")
  }

  @Test
  func `an unreadable row is reported as a failure, and the last value stands`() async throws {
    try await database.write { try $0.put(Level(id: 1, level: 5)) }
    let object = try database.live(Level.self, id: 1)
    let failures = object.failures.recorded()
    try await database.write { try $0.execute("UPDATE level SET level = 300") }
    let failure = try await failures.first { _ in true }
    #expect("\(failure)".contains("level"))
    #expect(object.value?.level == 5)
    try await database.write { try $0.execute("UPDATE level SET level = 6") }
    #expect(object.value?.level == 6)
  }
}
