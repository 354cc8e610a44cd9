import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Files and schemas", .patient)
struct SchemaTests {
  let fixture: SchemaFixture

  init() throws {
    fixture = try SchemaFixture()
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: fixture.path)) }

  @Test
  func `a file of a newer version is left alone, byte for byte`() throws {
    try fixture.open(.third)
    let before = try bytes()
    let expected = DatabaseError.schema(.tooNew(found: 3, supported: 2), path: fixture.path)
    #expect(throws: expected) { try fixture.open(.second) }
    #expect(try bytes() == before)
    #expect(expected.description.contains("3") && expected.description.contains("Update"))
  }

  @Test
  func `a cache of a newer version is emptied and reported`() throws {
    try fixture.open(.third, policy: .cache) { try ModelStatements.of($0).put(PersonV3(id: 1, first: "a", level: 1)) }
    let outcome = try fixture.open(.second, policy: .cache) { connection throws in
      #expect(try connection.count(Query<PersonV2>()) == 0)
    }
    #expect(outcome == .rebuilt(reason: .schema(.tooNew(found: 3, supported: 2), path: fixture.path)))
    #expect(try fixture.open(.second, policy: .cache) == .current)
  }

  @Test
  func `a changed model without a new version is reported when opened, with the column`() throws {
    try fixture.open(.first)
    let before = try fixture.content()
    let changed = Schema(version: 1, models: [PersonV2.self])
    let error = try #require(throws: DatabaseError.self) { try fixture.open(changed) }
    let missing = SchemaDifference(part: .column("level"), expected: "integer (required)", found: nil)
    #expect(error == .schema(.mismatch(table: "person", differences: [missing]), path: fixture.path))
    #expect(try fixture.content() == before)
    #expect(try fixture.open(changed, policy: .cache) == .rebuilt(reason: error))
    #expect(try fixture.open(changed, policy: .cache) == .current)
  }

  @Test
  func `the error about a changed model says in words what the model expects and what the file has`() throws {
    struct Before: StoreModel {
      static let table = TableSpec("thing")
      var id: Int
      var name: String
      var weight: Double?
      var count: Int
    }
    struct After: StoreModel {
      static let table = TableSpec("thing")
      var id: String
      var name: String?
      var weight: Double?
      var size: Int
    }
    struct Reordered: StoreModel {
      static let table = TableSpec("thing")
      var id: Int
      var count: Int
      var weight: Double?
      var name: String
    }
    try fixture.open(Schema(version: 1, models: [Before.self]))
    let error = try #require(throws: DatabaseError.self) { try fixture.open(Schema(version: 1, models: [After.self])) }
    for words in [
      #"the column "id" is integer (required, key), but the model expects text (required, key)"#,
      #"the column "name" is text (required), but the model expects text (optional)"#,
      #"the column "size" is missing; the model expects integer (required)"#,
      #"the column "count" exists only in the file: integer (required)"#,
    ] { #expect(error.description.contains(words), "\(error)") }
    let other = try #require(throws: DatabaseError.self) {
      try fixture.open(Schema(version: 1, models: [Reordered.self]))
    }
    #expect(
      other.description.contains(
        #"the model expects "id" integer (required, key), "count" integer (required), "weight" real (optional), "#),
      "\(other)")
  }

  @Test
  func `an optional property added without a migration is an error when opened`() throws {
    struct Person: StoreModel {
      static let table = PersonV1.table
      var id: Int
      var name: String
      var note: String?
    }
    try fixture.open(.first)
    let changed = Schema(version: 1, models: [Person.self])
    #expect(throws: DatabaseError.self) { try fixture.open(changed) }
  }

  @Test
  func `changes that SQLite's schema does not show are detected`() throws {
    struct Nested: StoreModel {
      static let table = TableSpec("thing")
      var id: Int
      var content: [String]
    }
    struct Flat: StoreModel {
      static let table = TableSpec("thing")
      var id: Int
      var content: String
    }
    struct Indexed: StoreModel {
      static let table = TableSpec("thing", indexes: ["content"])
      var id: Int
      var content: [String]
    }
    try fixture.open(Schema(version: 1, models: [Nested.self]))
    #expect(throws: DatabaseError.self) { try fixture.open(Schema(version: 1, models: [Flat.self])) }
    #expect(throws: DatabaseError.self) { try fixture.open(Schema(version: 1, models: [Indexed.self])) }
    let next = Schema(version: 2, models: [Indexed.self]) { MigrationStep(to: 2) }
    #expect(throws: Never.self) { try fixture.open(next) }
  }

  @Test(arguments: [
    "ALTER TABLE person DROP COLUMN name", "DROP TABLE person",
    "ALTER TABLE person ADD COLUMN x TEXT NOT NULL DEFAULT ''",
  ])
  func `a table changed by another program is an error only if rows would not fit`(sql: String) throws {
    try fixture.open(Schema(version: 1, models: [Plain.self]))
    try fixture.script(sql)
    if sql.contains("ADD") {
      #expect(try fixture.open(Schema(version: 1, models: [Plain.self])) == .current, "rows fit")
    } else {
      #expect(throws: DatabaseError.self) { try fixture.open(Schema(version: 1, models: [Plain.self])) }
    }
  }

  private struct Plain: StoreModel {
    static let table = TableSpec("person")
    var id: Int
    var name: String
  }

  @Test
  func `another program's tables are left alone, unless a step adopts them`() throws {
    try fixture.script(
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL); INSERT INTO person VALUES (1, 'a')")
    let before = try fixture.content()
    #expect(throws: DatabaseError.schema(.unknownTables(["person"]), path: fixture.path)) { try fixture.open(.first) }
    #expect(try fixture.content() == before)
    let adopting = Schema(version: 1, models: [PersonV1.self]) { MigrationStep(to: 1) }
    let outcome = try fixture.open(adopting) { connection throws in
      #expect(try connection.all(Query<PersonV1>()) == [PersonV1(id: 1, name: "a")])
    }
    #expect(outcome == .migrated(from: 0, backup: fixture.path + ".v0.backup"))
  }

  @Test(arguments: [DatabasePolicy.persistence, .cache])
  func `a file that is not a database is rejected, or replaced in a cache`(policy: DatabasePolicy) throws {
    let content =
      Data("This is no database, and long enough to be looked at as if it were one.".utf8) + Data(count: 5000)
    try content.write(to: URL(filePath: fixture.path))
    switch policy {
    case .persistence:
      let error = try #require(throws: DatabaseError.self) { try fixture.open(.first) }
      guard case .notADatabase = error else {
        Issue.record("\(error)")
        return
      }
      #expect(try bytes() == content)
    case .cache:
      guard case .rebuilt(.notADatabase) = try fixture.open(.first, policy: .cache) else {
        Issue.record("not rebuilt")
        return
      }
      #expect(try fixture.open(.first, policy: .cache) == .current)
    case .guest: break
    }
  }

  @Test
  func `a guest neither creates nor migrates the file, and opens it when another process has`() throws {
    func refusal(_ schema: Schema) throws -> DatabaseError? {
      #expect(throws: DatabaseError.self) { try fixture.open(schema, policy: .guest) }
    }
    #expect(try refusal(.first) == .schema(.notReady(found: 0, expected: 1), path: fixture.path))
    try fixture.open(.first) { try ModelStatements.of($0).put(PersonV1(id: 1, name: "a")) }
    #expect(try fixture.open(.first, policy: .guest) == .current)
    let before = try fixture.content()
    #expect(try refusal(.third) == .schema(.notReady(found: 1, expected: 3), path: fixture.path))
    #expect(try fixture.content() == before)
    try fixture.open(.third)
    #expect(try fixture.open(.third, policy: .guest) == .current)
    #expect(try refusal(.first) == .schema(.tooNew(found: 3, supported: 1), path: fixture.path))
  }

  @Test
  func `a cache whose migration fails is emptied, whatever it contains`() throws {
    struct Mistake: Error {}
    try fixture.open(.first, policy: .cache) { try ModelStatements.of($0).put(PersonV1(id: 1, name: "a")) }
    try fixture.script(
      """
      CREATE VIEW names AS SELECT name FROM person;
      CREATE TRIGGER own AFTER DELETE ON person BEGIN SELECT RAISE(ABORT, 'no'); END;
      CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person); INSERT INTO pet VALUES (1, 1);
      CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('a')
      """)
    let schema = Schema(version: 2, models: [PersonV2.self]) { MigrationStep(to: 2) { _ in throw Mistake() } }
    let outcome = try fixture.open(schema, policy: .cache) { connection throws in
      #expect(try connection.count(Query<PersonV2>()) == 0)
      #expect(
        try connection.texts("SELECT name FROM sqlite_schema WHERE type <> 'index' ORDER BY name") == [
          "person", "signals_schema",
        ])
    }
    #expect(outcome == .rebuilt(reason: .schema(.stepFailed(to: 2, reason: "Mistake()"), path: fixture.path)))
  }

  @Test
  func `a cache is not emptied because of a full disk or a lock`() throws {
    try fixture.open(.first, policy: .cache) { try ModelStatements.of($0).put(PersonV1(id: 1, name: "a")) }
    for error in [
      DatabaseError.diskFull(SQLiteFailure(extendedCode: 13, message: "full", path: fixture.path)),
      .busy(SQLiteFailure(extendedCode: 5, message: "locked", path: fixture.path)),
    ] {
      let schema = Schema(version: 2, models: [PersonV2.self]) { MigrationStep(to: 2) { _ in throw error } }
      #expect(throws: error) { try fixture.open(schema, policy: .cache) }
      #expect(schema.progress.value == .failed(path: fixture.path))
    }
    #expect(try fixture.sql("SELECT count(*) FROM person") == 1)
  }

  @Test
  func `a cache is migrated without a backup`() throws {
    try fixture.open(.first, policy: .cache) { try ModelStatements.of($0).put(PersonV1(id: 1, name: "a")) }
    let outcome = try fixture.open(.second, policy: .cache) { connection throws in
      #expect(try connection.count(Query<PersonV2>()) == 1)
    }
    #expect(outcome == .migrated(from: 1, backup: nil))
    #expect(try fixture.files() == ["people.sqlite"])
  }

  @Test
  func `eight threads that open and migrate one file migrate it once`() async throws {
    for policy in [DatabasePolicy.persistence, .cache] {
      let fixture = try SchemaFixture()
      let outcomes = try await outcomes(of: 8, opening: .first, fixture, policy)
      #expect(outcomes.filter { $0 == .created }.count == 1)
      #expect(outcomes.filter { $0 == .current }.count == 7)
      try fixture.open(.first, policy: policy) { try ModelStatements.of($0).put(PersonV1(id: 1, name: "Ada Lovelace")) }

      let migrated = try await self.outcomes(of: 8, opening: .third, fixture, policy)
      let backup = policy == .persistence ? fixture.path + ".v1.backup" : nil
      #expect(migrated.filter { $0 == .migrated(from: 1, backup: backup) }.count == 1)
      #expect(migrated.filter { $0 == .current }.count == 7)
    }
  }

  @Test
  func `eight threads that open a damaged cache create one new file`() async throws {
    for _ in 0..<5 {
      // Connections that close at the same time leave their writes in the log, which would repair the file.
      for suffix in ["-wal", "-shm"] { unlink(fixture.path + suffix) }
      try Data(repeating: 7, count: 5000).write(to: URL(filePath: fixture.path))
      let outcomes = try await outcomes(of: 8, opening: .first, fixture, .cache)
      #expect(outcomes.filter { if case .rebuilt = $0 { true } else { false } }.count == 1)
      #expect(outcomes.filter { $0 == .current }.count == 7)
    }
  }

  /// Returns the outcomes of threads that open a file at the same time.
  private func outcomes(
    of count: Int, opening schema: Schema, _ fixture: SchemaFixture, _ policy: DatabasePolicy
  ) async throws -> [SchemaOutcome] {
    try await onThread {
      let results = Kept<Result<SchemaOutcome, any Error>>()
      withThreads(count) { _ in
        results.keep(Result { try fixture.open(schema, policy: policy) })
      }
      return try results.values.map { try $0.get() }
    }
  }
}
