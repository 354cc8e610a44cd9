import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

@Suite("Migrations")
struct MigrationTests {
  let fixture: SchemaFixture

  init() throws {
    fixture = try SchemaFixture()
  }

  private func makeFirst(_ people: [PersonV1] = [PersonV1(id: 1, name: "Ada Lovelace"), PersonV1(id: 2, name: "Bob")])
    throws
  {
    let outcome = try fixture.open(.first) { connection throws in
      for person in people { try ModelStatements.of(connection).put(person) }
    }
    #expect(outcome == .created)
  }

  @Test
  func `a new file gets the newest tables without a step`() throws {
    let schema = Schema(version: 3, models: [PersonV3.self]) {
      MigrationStep(to: 2) { _ in Issue.record("a new file needs no step") }
      MigrationStep(to: 3) { _ in Issue.record("a new file needs no step") }
    }
    #expect(try fixture.open(schema) == .created)
    #expect(try fixture.sql("PRAGMA user_version") == 3)
    #expect(try fixture.open(schema) == .current)
    #expect(schema.progress.value == .idle)
  }

  @Test
  func `a step that omits an indexed column is reported, and nothing changes`() throws {
    try makeFirst()
    let before = try fixture.content()
    let error = databaseError { try fixture.open(Schema(version: 2, models: [Indexed.self]) { MigrationStep(to: 2) }) }
    let missing = SchemaDifference(part: .column("level"), expected: "INTEGER NOT NULL", found: nil)
    #expect(error == .schema(.mismatch(table: "person", differences: [missing]), path: fixture.path))
    #expect(try fixture.content() == before)
  }

  private struct Indexed: StoreModel {
    static let table = TableSpec("person", indexes: ["level"])
    var id: Int
    var name: String
    var level: Int
  }

  @Test
  func `all steps run once and in order, with the same result at once or one by one`() throws {
    try makeFirst()
    let expected = [
      PersonV3(id: 1, first: "Ada", last: "Lovelace", level: 1), PersonV3(id: 2, first: "Bob", last: nil, level: 1),
    ]
    let outcome = try fixture.open(.third) { connection throws in
      #expect(try connection.all(PersonV3.ordered { $0.id }) == expected)
    }
    #expect(outcome == .migrated(from: 1, backup: fixture.path + ".v1.backup"))
    #expect(try fixture.open(.third) == .current)
    let atOnce = try fixture.content()

    let other = try SchemaFixture()
    try other.open(.first) { connection throws in
      try ModelStatements.of(connection).put(PersonV1(id: 1, name: "Ada Lovelace"))
      try ModelStatements.of(connection).put(PersonV1(id: 2, name: "Bob"))
    }
    #expect(try other.open(.second) == .migrated(from: 1, backup: other.path + ".v1.backup"))
    #expect(try other.open(.third) == .migrated(from: 2, backup: other.path + ".v2.backup"))
    #expect(try other.content() == atOnce)
  }

  @Test
  func `a step that throws changes nothing, and a later opening can succeed`() throws {
    struct Mistake: Error {}
    try makeFirst()
    let before = try fixture.content()
    let schema = Schema(version: 3, models: [PersonV3.self]) {
      MigrationStep(to: 2) { try $0.addColumn("level", .integer, to: "person", default: 1) }
      MigrationStep(to: 3) { migration in
        try migration.execute("DELETE FROM person")
        throw Mistake()
      }
    }
    let error = try #require(throws: DatabaseError.self) { try fixture.open(schema) }
    let reason = SchemaError.stepFailed(to: 3, reason: "Mistake()")
    #expect(error == .schema(reason, path: fixture.path))
    #expect(reason.localizedDescription == reason.description)
    #expect(error.description.contains("version 3") && error.description.contains(fixture.path))
    #expect(schema.progress.value == .failed(path: fixture.path))
    #expect(try fixture.content() == before)
    #expect(try fixture.open(.third) == .migrated(from: 1, backup: fixture.path + ".v1.backup"))
  }

  @Test
  func `a row that cannot be transformed is reported with its key, and nothing changes`() throws {
    try makeFirst()
    try fixture.open(.second)
    try fixture.script(
      "DROP TABLE person; CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, level INTEGER NOT NULL)")
    try fixture.script("INSERT INTO person VALUES (7, 'x', 'high')")
    let before = try fixture.content()
    let error = try #require(throws: DatabaseError.self) { try fixture.open(.third) }
    for word in ["person", "level", "row 7"] { #expect(error.description.contains(word), "\(error)") }
    #expect(try fixture.content() == before)
  }

  @Test
  func `an incomplete step is reported and rolled back`() throws {
    try makeFirst()
    let before = try fixture.content()
    let schema = Schema(version: 2, models: [PersonV2.self]) { MigrationStep(to: 2) }
    let expected = SchemaError.mismatch(
      table: "person",
      differences: [SchemaDifference(part: .column("level"), expected: "INTEGER NOT NULL", found: nil)])
    #expect(throws: DatabaseError.schema(expected, path: fixture.path)) { try fixture.open(schema) }
    #expect(try fixture.content() == before)
  }

  @Test
  func `a version without a step is reported, and the file is left alone`() throws {
    try makeFirst()
    let before = try fixture.content()
    let schema = Schema(version: 3, models: [PersonV3.self]) { MigrationStep(to: 3) }
    #expect(throws: DatabaseError.schema(.missingStep(to: 2, from: 1), path: fixture.path)) { try fixture.open(schema) }
    #expect(try fixture.content() == before)
    #expect(try fixture.files() == ["people.sqlite"], "and no copy was made")
  }

  @Test(arguments: [
    Schema(version: 0, models: []), Schema(version: 1, models: [PersonV1.self, PersonV2.self]),
    Schema(version: 3, models: []) {
      MigrationStep(to: 3)
      MigrationStep(to: 2)
    },
    Schema(version: 1, models: []) { MigrationStep(to: 2) },
  ])
  func `a contradictory schema is reported`(schema: Schema) throws {
    for policy in [DatabasePolicy.persistence, .cache] {
      let error = try #require(throws: DatabaseError.self) { try fixture.open(schema, policy: policy) }
      guard case .schema(.invalidSchema, _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test
  func `the backup made before a migration is complete, and private to its owner`() throws {
    try makeFirst()
    #expect(chmod(fixture.path, 0o600) == 0)
    try fixture.open(.second)
    let copy = fixture.path + ".v1.backup"
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let connection = try SQLiteConnection(path: copy, access: .reading, busyTimeout: .seconds(1))
    defer { connection.close() }
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
    #expect(try connection.value("PRAGMA user_version") == 1)
    #expect(try connection.all(PersonV1.ordered { $0.id }).map(\.name) == ["Ada Lovelace", "Bob"])
    #expect(try fixture.files() == ["people.sqlite", "people.sqlite.v1.backup"])
  }

  @Test
  func `without a backup there is no migration`() throws {
    try makeFirst()
    let before = try fixture.content()
    // A directory in the backup's place.
    try FileManager.default.createDirectory(atPath: fixture.path + ".v1.backup/x", withIntermediateDirectories: true)
    let error = try #require(throws: DatabaseError.self) { try fixture.open(.second) }
    guard case .schema(.backupFailed(fixture.path + ".v1.backup", _), _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(try fixture.content() == before)
    #expect(try !fixture.files().contains { $0.contains(".partial") })
  }

  @Test
  func `progress is reported every 256 rows`() throws {
    try makeFirst((0..<1000).map { PersonV1(id: $0, name: "Person \($0)") })
    let schema = Schema.third
    let progress = Kept<MigrationProgress>()
    let subscription = schema.progress.sink { progress.keep($0) }
    try fixture.open(schema)
    subscription.cancel()
    let path = fixture.path
    #expect(
      progress.values == [
        .idle, .backingUp(path: path), .migrating(path: path, to: 2, rows: 0, of: 0),
        .migrating(path: path, to: 3, rows: 0, of: 0), .migrating(path: path, to: 3, rows: 256, of: 1000),
        .migrating(path: path, to: 3, rows: 512, of: 1000), .migrating(path: path, to: 3, rows: 768, of: 1000),
        .migrating(path: path, to: 3, rows: 1000, of: 1000), .finished(path: path, version: 3),
      ])
  }

  @Test
  func `columns can be added, renamed and dropped, and indexes follow the models`() throws {
    struct Person: StoreModel, Hashable {
      static let table = TableSpec("person", indexes: ["fullName"])
      var id: Int
      var fullName: String
      var note: String?
      var kind: String
    }
    try makeFirst()
    try fixture.open(.second)
    try fixture.script("CREATE INDEX own ON person (id)")
    let schema = Schema(version: 3, models: [Person.self]) {
      MigrationStep(to: 3) {
        try $0.renameColumn("name", of: "person", to: "fullName")
        try $0.dropColumn("level", of: "person")
        try $0.addColumn("note", .text, to: "person")
        try $0.addColumn("kind", .text, to: "person", default: "it's \"quoted\"; --")
      }
    }
    try fixture.open(schema) { connection throws in
      #expect(
        try connection.all(Person.ordered { $0.id }).first
          == Person(id: 1, fullName: "Ada Lovelace", note: nil, kind: "it's \"quoted\"; --"))
      let indexes = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
      #expect(indexes.filter { !$0.hasPrefix("sqlite_") } == ["own", "signals_index plain `person` (`fullName`)"])
    }
    for body: @Sendable (Migration) throws -> Void in [
      { try $0.renameColumn("nam", of: "person", to: "x") }, { try $0.dropColumn("nam", of: "person") },
      { try $0.dropTable("persons") }, { try $0.addColumn("note", .text, to: "person") },
      { try $0.addColumn("x", .real, to: "person", default: Double.infinity) },
    ] {
      let wrong = Schema(version: 4, models: [Person.self]) { MigrationStep(to: 4, body) }
      #expect(throws: DatabaseError.self) { try fixture.open(wrong) }
    }
    #expect(try fixture.open(schema) == .current)
  }

  @Test
  func `new models get their tables, and steps may fill and drop tables`() throws {
    struct City: StoreModel, Hashable {
      static let table = TableSpec("city", unique: ["name"])
      var id: UUID
      var name: String
    }
    try makeFirst()
    let schema = Schema(version: 2, models: [City.self]) {
      MigrationStep(to: 2) { migration in
        try migration.createTable(of: City.self)
        for person in try migration.all(PersonV1.ordered { $0.id }) {
          try migration.put(City(id: UUID(), name: person.name))
        }
        try migration.dropTable("person")
      }
    }
    try fixture.open(schema) { connection throws in
      #expect(try connection.all(City.ordered { $0.name }).map(\.name) == ["Ada Lovelace", "Bob"])
      #expect(throws: DatabaseError.self) { try ModelStatements.of(connection).put(City(id: UUID(), name: "Bob")) }
    }
  }

  @Test
  func `rebuilding a table keeps the rows that refer to it`() throws {
    try makeFirst()
    try fixture.script(
      """
      CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES person ON DELETE CASCADE);
      INSERT INTO pet VALUES (1, 1), (2, 2)
      """)
    try fixture.open(.third) { connection throws in
      #expect(try connection.value("SELECT count(*) FROM pet") == 2)
      #expect(try connection.value("PRAGMA foreign_keys") == 1)
      #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO pet VALUES (3, 99)") }
    }
    let before = try fixture.content()
    let schema = Schema(version: 4, models: [PersonV3.self]) {
      MigrationStep(to: 4) { try $0.execute("DELETE FROM person WHERE id = 2") }
    }
    let expected = SchemaError.brokenReferences([
      BrokenReference(table: "pet", rowID: 2, missingIn: "person", columns: ["owner"])
    ])
    #expect(throws: DatabaseError.schema(expected, path: fixture.path)) { try fixture.open(schema) }
    #expect(try fixture.content() == before)
  }

  @Test
  func `a migration cannot be used after its step`() throws {
    try makeFirst()
    let kept = Kept<Migration>()
    let schema = Schema(version: 2, models: [PersonV1.self]) {
      MigrationStep(to: 2) { kept.keep($0) }
    }
    try fixture.open(schema)
    #expect(throws: DatabaseError.transactionIsOver(path: fixture.path)) {
      try kept.values[0].execute("DELETE FROM person")
    }
  }
}
