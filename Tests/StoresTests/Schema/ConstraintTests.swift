import Foundation
import TestSupport
import Testing

@testable import Stores

private struct City: StoreModel, Equatable {
  static let table = TableSpec("city", unique: ["name"], collations: ["name": .nocase])
  var id: Int
  var name: String
}

private struct Resident: StoreModel, Equatable {
  static let table = TableSpec(
    "resident",
    indexes: [TableIndex(["cityID"]), TableIndex(expressions: ["lower(name)"])],
    unique: [TableIndex(["desk"], where: "isActive")],
    foreignKeys: [
      ForeignKey("cityID", references: "city", onDelete: .cascade),
      ForeignKey("bossID", references: "resident", onDelete: .setNull, isDeferred: true),
    ],
    checks: ["length(name) > 0 -- not empty", "age >= 0"],
    defaults: ["isActive": true, "age": 18])
  var id: Int
  var name: String
  var age: Int = 20
  var cityID: Int = 1
  var bossID: Int?
  var desk: Int?
  var isActive: Bool = true
}

@Suite("Constraints of tables", .patient)
struct ConstraintTests {
  let fixture: SchemaFixture
  private let schema = Schema(version: 1, models: [City.self, Resident.self])

  init() throws {
    fixture = try SchemaFixture()
  }

  private func constraint(_ body: () throws -> Void) -> Bool {
    if case .constraint = databaseError(body) { true } else { false }
  }

  @Test func `references, checks, defaults, collations and partial unique indexes apply to every statement`() throws {
    let database = try Database(.memory, schema: schema)
    try database.write { transaction throws in
      try transaction.put([City(id: 1, name: "Rome"), City(id: 2, name: "Oslo")])
      try transaction.put([Resident(id: 1, name: "Ada", desk: 1), Resident(id: 2, name: "Bob", cityID: 2, bossID: 1)])
      #expect(constraint { try transaction.put(City(id: 3, name: "ROME")) }, "the collation")
      #expect(constraint { try transaction.put(Resident(id: 3, name: "")) }, "the first check")
      #expect(constraint { try transaction.execute("UPDATE resident SET age = -1") }, "the second check")
      #expect(constraint { try transaction.put(Resident(id: 3, name: "Eve", cityID: 9)) }, "the reference")
      #expect(constraint { try transaction.put(Resident(id: 3, name: "Eve", desk: 1)) }, "the unique index")
      try transaction.put(Resident(id: 3, name: "Eve", desk: 1, isActive: false))
      try transaction.execute("INSERT INTO resident (id, name, cityID) VALUES (4, 'Dan', 2)")
      #expect(try transaction.find(Resident.self, id: 4) == Resident(id: 4, name: "Dan", age: 18, cityID: 2))

      try transaction.put(Resident(id: 5, name: "Mia", cityID: 2, bossID: 6))
      try transaction.put(Resident(id: 6, name: "Leo", cityID: 2))
      try transaction.delete(City.self, id: 1)
      #expect(try transaction.find(Resident.self, id: 1) == nil, "deleted with its city")
      #expect(try transaction.find(Resident.self, id: 2)?.bossID == nil)
      let plan = try transaction.rows("EXPLAIN QUERY PLAN SELECT * FROM resident WHERE lower(name) = 'ada'")
      #expect(plan.contains { $0["detail"].stringValue?.contains("signals_index") == true })
    }
    #expect(constraint { try database.write { try $0.put(Resident(id: 7, name: "Max", cityID: 2, bossID: 99)) } })
    #expect(try database.read { try $0.count(Resident.self) } == 4)
  }

  @Test func `put updates a row without deleting those that refer to it`() throws {
    let database = try Database(.memory, schema: schema)
    try database.write { transaction throws in
      try transaction.put(City(id: 1, name: "Rome"))
      try transaction.put(Resident(id: 1, name: "Ada"))
      try transaction.put(City(id: 1, name: "Roma"))
      #expect(try transaction.count(Resident.self) == 1)
    }
  }

  // MARK: Comparing with the file

  /// The definition of the table as another program writes it.
  private static let sameTable = """
    CREATE TABLE "Resident" (
      id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL CHECK (LENGTH("name")>0), age INTEGER NOT NULL DEFAULT 18,
      cityID INTEGER NOT NULL REFERENCES [city] ON DELETE CASCADE,
      bossID INTEGER CONSTRAINT boss REFERENCES resident ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
      desk INTEGER, isActive INTEGER NOT NULL DEFAULT 1, /* a comment */ CHECK ("age" >= 0)
    ) STRICT
    """

  /// Replaces the table by one with another definition, and its indexes.
  private func replaceTable(_ definition: String) throws {
    try fixture.open(schema)
    let indexes = try ModelLayout.of(Resident.self).indexCreations.values.joined(separator: ";")
    try fixture.script("DROP TABLE resident; \(definition); \(indexes)")
  }

  @Test func `the same constraints in other words match`() throws {
    try replaceTable(Self.sameTable)
    #expect(try fixture.open(schema) == .current)
  }

  @Test(arguments: [
    ("ON DELETE CASCADE", "", SchemaDifference.Part.foreignKey(["cityid"])),
    ("REFERENCES [city]", "REFERENCES resident", .foreignKey(["cityid"])),
    ("DEFERRABLE INITIALLY DEFERRED", "", .foreignKey(["bossid"])),
    ("DEFERRABLE INITIALLY DEFERRED", "NOT DEFERRABLE INITIALLY DEFERRED", .foreignKey(["bossid"])),
    ("CHECK (LENGTH(\"name\")>0)", "", .check),
    ("\"age\" >= 0", "age > 0", .check),
    ("DEFAULT 18", "DEFAULT 17", .defaultValue("age")),
    ("DEFAULT 18", "", .defaultValue("age")),
    ("desk INTEGER", "desk TEXT", .column("desk")),
    ("desk INTEGER", "desk INTEGER AS (id) STORED", .column("desk")),
    ("desk INTEGER", "desk INTEGER, more INTEGER NOT NULL", .column("more")),
  ])
  func `a file without a constraint of the model is an error with the difference`(
    _ old: String, _ new: String, _ part: SchemaDifference.Part
  ) throws {
    try replaceTable(Self.sameTable.replacing(old, with: new))
    let before = try fixture.content()
    let error = databaseError { try fixture.open(schema) }
    guard case .schema(.mismatch(let table, let differences), _) = error else { return recordUnexpected(error) }
    #expect(table == "resident")
    #expect(differences.map(\.part) == [part])
    #expect(differences[0].expected != differences[0].found)
    #expect(try fixture.content() == before)
  }

  @Test func `a missing index and another collation are differences`() throws {
    try fixture.open(schema)
    try fixture.script(
      "DROP TABLE city; CREATE TABLE city (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT")
    let error = databaseError { try fixture.open(schema) }
    let differences = [
      SchemaDifference(part: .collation("name"), expected: "nocase", found: "binary"),
      SchemaDifference(part: .index, expected: "unique `city` (`name`)", found: nil),
    ]
    #expect(error == .schema(.mismatch(table: "city", differences: differences), path: fixture.path))
    #expect(
      "\(try #require(error))".contains("the collation of the column \"name\" is binary, but the model expects nocase"))
  }

  @Test func `constraints that only the file has are left alone`() throws {
    struct Plain: StoreModel {
      static let table = TableSpec("resident")
      var id: Int
      var name: String
    }
    try fixture.script(
      """
      CREATE TABLE resident (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL COLLATE NOCASE CHECK (name <> ''),
        chief INTEGER REFERENCES resident);
      """)
    let adopting = Schema(version: 1, models: [Plain.self]) { MigrationStep(to: 1) }
    try fixture.open(adopting)
    #expect(try fixture.open(adopting) == .current)
  }

  @Test func `a constraint changed in the model without a new version is an error with the difference`() throws {
    struct Changed: StoreModel {
      static let table = TableSpec(
        "resident", foreignKeys: [ForeignKey("cityID", references: "city", onDelete: .restrict)],
        defaults: ["cityID": 1])
      var id: Int
      var cityID: Int
    }
    struct Original: StoreModel {
      static let table = TableSpec(
        "resident", foreignKeys: [ForeignKey("cityID", references: "city", onDelete: .cascade)], checks: ["id > 0"])
      var id: Int
      var cityID: Int
    }
    try fixture.open(Schema(version: 1, models: [City.self, Original.self]))
    let error = databaseError { try fixture.open(Schema(version: 1, models: [City.self, Changed.self])) }
    guard case .schema(.mismatch("resident", let differences), _) = error else { return recordUnexpected(error) }
    #expect(Set(differences.map(\.part)) == [.foreignKey(["cityid"]), .check, .defaultValue("cityid")])
    #expect(differences.first { $0.part == .foreignKey(["cityid"]) }?.expected?.contains("RESTRICT") == true)
  }

  // MARK: Invalid specifications

  @Test func `invalid constraints are typed errors`() throws {
    let columns = [
      TableColumn("id", .integer), TableColumn("name", .text), TableColumn("other", .integer, isOptional: true),
    ]
    let specs = [
      TableSpec("t", foreignKeys: [ForeignKey("nme", references: "city")]),
      TableSpec("t", foreignKeys: [ForeignKey("id", references: "city", onDelete: .setNull)]),
      TableSpec("t", foreignKeys: [ForeignKey("id", references: "city", onDelete: .setDefault)]),
      TableSpec("t", foreignKeys: [ForeignKey(["id", "name"], references: "city", ["id"])]),
      TableSpec("t", foreignKeys: [ForeignKey([], references: "city", [])]),
      TableSpec("t", indexes: [TableIndex([])]), TableSpec("t", indexes: [TableIndex(["nme"])]),
      TableSpec("t", indexes: [TableIndex(["name"], where: " -- nothing")]),
      TableSpec("t", checks: [""]), TableSpec("t", checks: ["id\0 > 0"]),
      TableSpec("t", defaults: ["nme": 1]), TableSpec("t", defaults: ["name": 1]),
      TableSpec("t", defaults: ["other": "one"]), TableSpec("t", collations: ["id": .nocase]),
    ]
    for spec in specs {
      #expect(throws: ModelError.self, "\(spec)") { try spec.checkConstraints(columns) }
    }
  }

  @Test func `a constraint that SQLite cannot compile is reported when the file is opened`() throws {
    struct Wrong: StoreModel {
      static let table = TableSpec("wrong", checks: ["lenght(name) > 0"])
      var id: Int
      var name: String
    }
    struct Broken: StoreModel {
      static let table = TableSpec("broken", indexes: [TableIndex(expressions: ["lower(nme)"])])
      var id: Int
      var name: String
    }
    struct Loose: StoreModel {
      static let table = TableSpec("loose", foreignKeys: [ForeignKey("city", references: "city", "name")])
      var id: Int
      var city: String
    }
    struct Village: StoreModel {
      static let table = TableSpec("city")
      var id: Int
      var name: String
    }
    for models in [[Wrong.self], [Broken.self], [Loose.self, Village.self]] as [[any StoreModel.Type]] {
      let error = databaseError { try fixture.open(Schema(version: 1, models: models)) }
      guard case .schema(.invalidSchema(let reason), _) = error else { return recordUnexpected(error) }
      #expect(reason.contains("lenght") || reason.contains("nme") || reason.contains("unique"), "\(reason)")
    }
    #expect(try fixture.sql("SELECT count(*) FROM sqlite_schema") == 0)
  }
}
