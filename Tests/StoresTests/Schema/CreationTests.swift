import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("New files and constraints that migrations add", .patient)
struct CreationTests {
  let fixture: SchemaFixture

  init() throws {
    fixture = try SchemaFixture()
  }

  private struct Mistake: Error {}

  @Test func `a new file is filled once, in the transaction that creates it`() throws {
    let calls = Kept<Int>()
    let schema = Schema(version: 1, models: [PersonV1.self]) {
    } creation: {
      calls.keep($0.version)
      try $0.put(PersonV1(id: 1, name: "Ada"))
    }
    #expect(try fixture.open(schema) == .created)
    #expect(try fixture.open(schema) == .current)
    #expect(calls.values == [1])
    #expect(try fixture.sql("SELECT count(*) FROM person") == 1)
  }

  @Test(arguments: [DatabasePolicy.persistence, .cache])
  func `a new file that cannot be filled stays empty, and is filled the next time`(policy: DatabasePolicy) throws {
    let failing = Schema(
      version: 1, models: [PersonV1.self],
      creation: { migration in
        try migration.put(PersonV1(id: 1, name: "Ada"))
        throw Mistake()
      })
    let expected = DatabaseError.schema(.creationFailed(reason: "Mistake()"), path: fixture.path)
    #expect(throws: expected) { try fixture.open(failing, policy: policy) }
    #expect(try fixture.sql("SELECT count(*) FROM sqlite_schema") == 0)
    #expect(try fixture.open(.first, policy: policy) == .created)
  }

  @Test func `an emptied cache is filled again`() throws {
    try fixture.open(.third, policy: .cache)
    let schema = Schema(version: 1, models: [PersonV1.self], creation: { try $0.put(PersonV1(id: 1, name: "Ada")) })
    guard case .rebuilt = try fixture.open(schema, policy: .cache) else {
      Issue.record("not rebuilt")
      return
    }
    #expect(try fixture.sql("SELECT name FROM person") == "Ada")
  }

  @Test func `several threads that open a new file fill it once`() async throws {
    let schema = Schema(
      version: 1, models: [PersonV1.self],
      creation: { migration in
        let count = try migration.all(Query<PersonV1>()).count
        try migration.put(PersonV1(id: count + 1, name: "Ada"))
      })
    let fixture = fixture
    try await onThread {
      withThreads(4) { _ in
        do { try fixture.open(schema) } catch { Issue.record(error) }
      }
    }
    #expect(try fixture.sql("SELECT count(*) FROM person") == 1)
  }

  // MARK: Migrations

  private struct Pet: StoreModel, Equatable {
    static let table = TableSpec("pet")
    var id: Int
    var owner: Int
    var name: String
  }

  private struct OwnedPet: StoreModel, Equatable {
    static let table = TableSpec(
      "pet", foreignKeys: [ForeignKey("owner", references: "person", onDelete: .cascade)], checks: ["name <> ''"],
      defaults: ["legs": 4])
    var id: Int
    var owner: Int
    var name: String
    var legs: Int
  }

  private let second = Schema(version: 2, models: [PersonV1.self, OwnedPet.self]) {
    MigrationStep(to: 2) { try $0.rebuildTable(of: OwnedPet.self) }
  }

  private func makeFirst(_ pets: [Pet]) throws {
    try fixture.open(Schema(version: 1, models: [PersonV1.self, Pet.self])) { connection throws in
      try ModelStatements.of(connection).put(PersonV1(id: 1, name: "Ada"))
      for pet in pets { try ModelStatements.of(connection).put(pet) }
    }
  }

  @Test func `a migration adds constraints to a table with rows`() throws {
    try makeFirst([Pet(id: 7, owner: 1, name: "Rex")])
    try fixture.script("CREATE TABLE toy (pet INTEGER REFERENCES pet ON DELETE CASCADE); INSERT INTO toy VALUES (7)")
    try fixture.open(second) { connection throws in
      #expect(try connection.all(Query<OwnedPet>()) == [OwnedPet(id: 7, owner: 1, name: "Rex", legs: 4)])
      #expect(try connection.value("SELECT count(*) FROM toy") == 1)
      try connection.execute("DELETE FROM person")
      #expect(try connection.value("SELECT count(*) FROM toy") == 0)
    }
    #expect(try fixture.open(second) == .current)
  }

  @Test func `a migration that leaves a reference without its row changes nothing`() throws {
    try makeFirst([Pet(id: 7, owner: 2, name: "Rex")])
    let before = try fixture.content()
    let broken = BrokenReference(table: "pet", rowID: 7, missingIn: "person", columns: ["owner"])
    #expect(throws: DatabaseError.schema(.brokenReferences([broken]), path: fixture.path)) { try fixture.open(second) }
    #expect(try fixture.content() == before)
  }

  @Test func `a migration with a row that violates a new check changes nothing`() throws {
    try makeFirst([Pet(id: 7, owner: 1, name: "")])
    let before = try fixture.content()
    let error = databaseError { try fixture.open(second) }
    guard case .schema(.stepFailed(to: 2, let reason), _) = error else { return recordUnexpected(error) }
    #expect(reason.contains("CHECK"))
    #expect(try fixture.content() == before)
  }

  @Test func `a forgotten constraint in a migration is reported`() throws {
    try makeFirst([])
    let schema = Schema(version: 2, models: [PersonV1.self, OwnedPet.self]) {
      MigrationStep(to: 2) { try $0.addColumn("legs", .integer, to: "pet", default: 4) }
    }
    let error = databaseError { try fixture.open(schema) }
    guard case .schema(.mismatch("pet", let differences), _) = error else { return recordUnexpected(error) }
    #expect(Set(differences.map(\.part)) == [.foreignKey(["owner"]), .check])
  }

  @Test func `dropping a column drops the indexes whose condition or expression uses it`() throws {
    struct Indexed: StoreModel {
      static let table = TableSpec(
        "person", indexes: [TableIndex(["name"], where: "level > 1"), TableIndex(expressions: ["level * 2"]), "name"])
      var id: Int
      var name: String
      var level: Int
    }
    try fixture.open(Schema(version: 1, models: [Indexed.self]))
    let schema = Schema(version: 2, models: [PersonV1.self]) {
      MigrationStep(to: 2) { try $0.dropColumn("level", of: "person") }
    }
    try fixture.open(schema)
    #expect(try fixture.sql("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL") == 1)
  }
}
