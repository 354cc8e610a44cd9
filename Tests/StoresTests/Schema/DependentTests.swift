import Foundation
import TestSupport
import Testing

@testable import Stores

private struct ItemV1: StoreModel, Hashable {
  static let table = TableSpec("item", indexes: ["title"])
  var id: Int64?
  var title: String
  var note: String?
}

private struct Item: StoreModel, Hashable {
  static let table = TableSpec("item", indexes: ["title"], checks: ["length(title) > 0"])
  var id: Int64?
  var title: String
  var note: String?
}

/// The table without the column `note`.
private struct Plain: StoreModel, Hashable {
  static let table = TableSpec("item", indexes: ["title"])
  var id: Int64?
  var title: String
}

/// The rows in a table of another name.
private struct Entry: StoreModel, Hashable {
  static let table = TableSpec("entry", indexes: ["title"])
  var id: Int64?
  var title: String
  var note: String?
}

/// A table with a text key, whose rows SQLite numbers.
private struct Label: StoreModel, Hashable {
  static let table = TableSpec("label")
  var id: String
  var text: String
}

@Suite("Objects that depend on a migrated table", .patient)
struct DependentTests {
  let fixture: SchemaFixture

  init() throws {
    fixture = try SchemaFixture()
    try fixture.open(Schema(version: 1, models: [ItemV1.self, Label.self])) { connection throws in
      try ModelStatements.of(connection).put(ItemV1(title: "milk", note: "cold"))
      try ModelStatements.of(connection).put(ItemV1(title: "tea"))
    }
  }

  /// The ways in which a step can replace the table.
  private enum Way: CaseIterable {
    case rebuild, transform

    func run(_ migration: Migration) throws {
      switch self {
      case .rebuild: try migration.rebuildTable(of: Item.self)
      case .transform:
        try migration.transform(Item.self, from: ItemV1.self) { Item(id: $0.id, title: $0.title, note: $0.note) }
      }
    }
  }

  private func second(
    _ models: [any StoreModel.Type] = [Item.self, Label.self], _ body: @escaping @Sendable (Migration) throws -> Void
  )
    -> Schema
  {
    Schema(version: 2, models: models) { MigrationStep(to: 2, body) }
  }

  /// The objects that the package has not created, in SQL.
  private func foreignObjects() throws -> [String] {
    let connection = try fixture.connect()
    defer { connection.close() }
    return try connection.texts(
      "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL AND name NOT LIKE 'signals\\_%' ESCAPE '\\'"
        + " ORDER BY name")
  }

  private static let objects = [
    "CREATE INDEX own_expression ON item (lower(note))",
    "CREATE INDEX own_partial ON item (id, title) WHERE note IS NOT NULL",
    "CREATE TRIGGER own_elsewhere AFTER INSERT ON label BEGIN INSERT INTO item (title) VALUES (new.text); END",
    "CREATE TRIGGER own_instead INSTEAD OF INSERT ON titles BEGIN INSERT INTO item (title) VALUES (new.title); END",
    "CREATE TRIGGER own_trigger AFTER DELETE ON item BEGIN INSERT INTO label VALUES (old.id, old.title); END",
    "CREATE UNIQUE INDEX own_unique ON item (note)",
    "CREATE VIEW titles AS SELECT id, title FROM item",
    "CREATE VIEW upper_titles AS SELECT upper(title) AS title FROM titles",
  ]

  /// Creates the objects; views before the triggers on them.
  private func addObjects() throws {
    let views = Self.objects.filter { $0.hasPrefix("CREATE VIEW") }
    try fixture.script((views + Self.objects.filter { !$0.hasPrefix("CREATE VIEW") }).joined(separator: ";"))
    try fixture.script(
      """
      CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE);
      INSERT INTO part VALUES (1, 1), (2, 2);
      CREATE VIRTUAL TABLE words USING fts5(title, content = 'item', content_rowid = 'id');
      INSERT INTO words (words) VALUES ('rebuild');
      """)
  }

  /// Uses every object once.
  private func use(_ table: String, _ connection: SQLiteConnection) throws {
    #expect(try connection.texts("SELECT title FROM upper_titles ORDER BY 1") == ["MILK", "TEA"])
    #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO `\(table)` (title, note) VALUES ('x', 'cold')")
    }
    #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO part VALUES (3, 99)") }
    try connection.execute("INSERT INTO titles (title) VALUES ('bread')")
    try connection.execute("INSERT INTO label VALUES ('l', 'eggs')")
    let rows = "SELECT group_concat(title) FROM (SELECT title FROM `\(table)` ORDER BY id)"
    #expect(try connection.value(rows) == "milk,tea,bread,eggs")
    try connection.execute("DELETE FROM `\(table)` WHERE id = 1")
    #expect(try connection.value("SELECT text FROM label WHERE id = '1'") == "milk")
    #expect(try connection.value("SELECT count(*) FROM part") == 1)
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: Way.allCases)
  private func `views, triggers and indexes of other programs outlive a replaced table`(way: Way) throws {
    try addObjects()
    let before = try foreignObjects()
    #expect(Set(before) == Set(Self.objects))
    let schema = second { try way.run($0) }
    try fixture.open(schema) { connection throws in
      #expect(try connection.value("SELECT rowid FROM words WHERE words MATCH 'tea'") == 2)
      try use("item", connection)
    }
    #expect(try foreignObjects() == before)
    #expect(try fixture.open(schema) == .current)
  }

  @Test func `objects of other programs follow a table that a step transforms into one of another name`() throws {
    try addObjects()
    let schema = second([Entry.self, Label.self]) { migration in
      try migration.transform(Entry.self, from: ItemV1.self) { Entry(id: $0.id, title: $0.title, note: $0.note) }
    }
    try fixture.open(schema) { connection throws in try use("entry", connection) }
    #expect(try foreignObjects().count == Self.objects.count)
    #expect(try fixture.sql("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%transformed%'") == 0)
  }

  /// Objects that need the column that the step drops, and their names.
  @Test(arguments: [
    ("CREATE INDEX own ON item (note)", "index"), ("CREATE INDEX own ON item (title) WHERE note > ''", "index"),
    ("CREATE INDEX own ON item (lower(\"note\"))", "index"),
    ("CREATE VIEW own AS SELECT note FROM item", "view"),
    ("CREATE VIEW base AS SELECT * FROM item; CREATE VIEW own AS SELECT note FROM base", "view"),
    ("CREATE TRIGGER own AFTER INSERT ON item BEGIN UPDATE item SET note = 'n'; END", "trigger"),
    ("CREATE TRIGGER own AFTER UPDATE ON label BEGIN DELETE FROM item WHERE note = new.text; END", "trigger"),
  ])
  func `an object that needs a dropped column is named, and nothing changes`(sql: String, type: String) throws {
    try fixture.script(sql)
    let before = try fixture.content()
    let schema = second([Plain.self, Label.self]) { try $0.rebuildTable(of: Plain.self) }
    let error = databaseError { try fixture.open(schema) }
    guard case .schema(.brokenDependent(type, "own", let reason), fixture.path) = error else {
      return recordUnexpected(error)
    }
    #expect(reason.contains("note"), "\(reason)")
    #expect(error?.description.contains("\(type) \"own\"") == true)
    #expect(try fixture.content() == before)

    let aware = second([Plain.self, Label.self]) { migration in
      try migration.execute("DROP \(type) own")
      try migration.rebuildTable(of: Plain.self)
    }
    guard case .migrated = try fixture.open(aware) else { return recordUnexpected(nil) }
  }

  @Test func `a view of a dropped table is named`() throws {
    try fixture.script("CREATE VIEW own AS SELECT text FROM label")
    let error = databaseError {
      try fixture.open(
        second([Item.self]) { migration in
          try migration.rebuildTable(of: Item.self)
          try migration.dropTable("label")
        })
    }
    guard case .schema(.brokenDependent("view", "own", _), _) = error else { return recordUnexpected(error) }
  }

  @Test func `an object that was unusable before does not prevent a migration`() throws {
    try fixture.script(
      """
      CREATE TABLE gone (a); CREATE VIEW own AS SELECT a FROM gone;
      CREATE TRIGGER own_trigger AFTER INSERT ON label BEGIN DELETE FROM gone; END; DROP TABLE gone
      """)
    let schema = second { try $0.rebuildTable(of: Item.self) }
    guard case .migrated = try fixture.open(schema) else { return recordUnexpected(nil) }
  }

  @Test func `rebuilding a table keeps the numbers of its rows`() throws {
    try fixture.script(
      """
      INSERT INTO label VALUES ('a', 'milk'), ('b', 'tea'), ('c', 'bread'); DELETE FROM label WHERE id = 'a';
      CREATE VIRTUAL TABLE words USING fts5(text, content = 'label'); INSERT INTO words (words) VALUES ('rebuild')
      """)
    try fixture.open(
      second {
        try $0.rebuildTable(of: Label.self); try $0.rebuildTable(of: Item.self)
      }
    ) { connection throws in
      #expect(try connection.texts("SELECT text FROM words WHERE words MATCH 'tea'") == ["tea"])
    }
  }

  @Test func `keys of deleted rows are not assigned again, whatever the spelling of the table`() throws {
    try fixture.script(
      "DELETE FROM item WHERE title = 'tea'; ALTER TABLE item RENAME TO thing; ALTER TABLE thing RENAME TO ITEM")
    try fixture.open(second { try $0.rebuildTable(of: Item.self) }) { connection throws in
      try connection.execute("INSERT INTO item (title) VALUES ('bread')")
      #expect(try connection.value("SELECT id FROM item WHERE title = 'bread'") == 3)
    }
  }
}
