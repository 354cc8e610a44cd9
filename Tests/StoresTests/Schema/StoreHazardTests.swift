import Foundation
import TestSupport
import Testing

@testable import Stores

/// Faults of earlier stores that must not recur.
@Suite("Hazards of stores", .patient)
struct StoreHazardTests {
  let fixture: SchemaFixture

  init() throws {
    fixture = try SchemaFixture()
  }

  private struct Counter: StoreModel, Hashable {
    static let table = TableSpec("counter", unique: ["name"])
    var id: UUID
    var name: String
    var count: Int
  }

  private let counters = Schema(version: 1, models: [Counter.self])

  @Test
  func `a new version or a changed model removes no row without a backup`() throws {
    try fixture.open(.first) { try ModelStatements.of($0).put(PersonV1(id: 1, name: "a")) }
    let wrong = [
      Schema(version: 1, models: [PersonV3.self]), Schema(version: 2, models: [PersonV3.self]),
      Schema(version: 2, models: [PersonV3.self]) { MigrationStep(to: 2) },
      Schema(version: 2, models: [PersonV3.self]) { MigrationStep(to: 2) { try $0.dropTable("person") } },
    ]
    for schema in wrong.dropLast() {
      #expect(throws: DatabaseError.self) { try fixture.open(schema) }
      #expect(try fixture.sql("SELECT count(*) FROM person") == 1)
    }
    try fixture.open(wrong[3])
    let copy = try SQLiteConnection(path: fixture.path + ".v1.backup", access: .reading, busyTimeout: .seconds(1))
    defer { copy.close() }
    #expect(try copy.all(Query<PersonV1>()) == [PersonV1(id: 1, name: "a")], "what a step removes is in the copy")
  }

  @Test
  func `a delete is rolled back together with its transaction`() throws {
    struct Mistake: Error {}
    let database = try Database(.memory, schema: counters)
    let counter = Counter(id: UUID(), name: "a", count: 1)
    try database.write { try $0.put(counter) }
    #expect(throws: Mistake.self) {
      try database.write { transaction in
        try transaction.savepoint { _ = try transaction.delete(Counter.self, id: counter.id) }
        throw Mistake()
      }
    }
    #expect(try database.read { try $0.all(Counter.self) } == [counter])
  }

  @Test
  func `a database in memory lives exactly as long as its last reference`() throws {
    var database: Database? = try Database(.memory, schema: counters)
    try database?.write { try $0.put(Counter(id: UUID(), name: "a", count: 1)) }
    for _ in 0..<3 { #expect(try database?.read { try $0.count(Counter.self) } == 1) }
    weak let released = database
    database = nil
    #expect(released == nil)
  }

  @Test
  func `a model's table has the declared name, wherever its type is declared`() throws {
    struct Inner: StoreModel {
      static let table = TableSpec("a \"table\" with 'quotes' and ümläuts; --")
      var id: String
      var order: Int
      var select: String
    }
    let database = try Database(.memory, schema: Schema(version: 1, models: [Inner.self]))
    try database.write { try $0.put(Inner(id: "x", order: 1, select: "y")) }
    let query = Inner.where { $0.order == 1 }.ordered { $0.select }
    #expect(try database.read { try $0.all(query) }.map(\.id) == ["x"])
    #expect(try database.write { try $0.deleteAll(query) } == 1)
  }

  @Test
  func `of many writers that insert a missing row, only one does`() async throws {
    let location = DatabaseLocation.file(URL(filePath: fixture.path))
    let schema = counters
    try await onThread {
      let errors = Kept<any Error>()
      withThreads(8) { _ in
        do {
          let database = try Database(location, schema: schema, busyTimeout: .seconds(240))
          for _ in 0..<20 {
            try database.write { transaction in
              if let found = try transaction.first(Counter.where { $0.name == "visits" }) {
                try transaction.update(Counter.self, id: found.id) { $0.count += 1 }
              } else {
                try transaction.put(Counter(id: UUID(), name: "visits", count: 1))
              }
            }
          }
        } catch {
          errors.keep(error)
        }
      }
      #expect(errors.values.isEmpty)
    }
    let database = try Database(location, schema: schema)
    let rows = try await database.read { try $0.all(Counter.self) }
    #expect(rows.map(\.count) == [160])
  }

  @Test func `a column renamed by another process is reported missing, and its name is not read as a value`() throws {
    let directory = try TemporaryDirectory()
    let location = DatabaseLocation.file(directory.file("errands.sqlite"))
    let (database, other) = (try liveDatabase(location), try Database(location))
    try database.write { try $0.put(Errand(id: 1, title: "bread")) }
    try other.write { try $0.execute("ALTER TABLE errand RENAME COLUMN title TO text") }
    let all = #expect(throws: DatabaseError.self) { try database.read { try $0.all(Errand.self) } }
    #expect("\(try #require(all))".contains("title"))
    #expect(throws: DatabaseError.self) { try database.read { try $0.find(Errand.self, id: 1) } }
    #expect(throws: DatabaseError.self) { try database.read { try $0.count(Errand.where { $0.title == "title" }) } }
    #expect(throws: DatabaseError.self) {
      try database.write { try $0.deleteAll(Errand.where { $0.title == "title" }) }
    }
    #expect(try other.read { try $0.value("SELECT text FROM errand") } == "bread")
  }
}
