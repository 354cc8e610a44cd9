import Foundation
import Testing

@testable import Stores

/// Changes that SQLite's update hook does not report are reported nevertheless.
@Suite("Changes that SQLite hides")
struct HiddenChangeTests {
  private let database: Database

  init() throws {
    database = try Database(.memory)
    try database.write {
      try $0.execute(
        script: """
          CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INTEGER);
          INSERT INTO plain VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
          CREATE TABLE worded (id TEXT PRIMARY KEY NOT NULL, age INTEGER);
          INSERT INTO worded VALUES ('x', 1), ('y', 2);
          CREATE TABLE rowless (id TEXT PRIMARY KEY, age INTEGER) WITHOUT ROWID;
          INSERT INTO rowless VALUES ('x', 1), ('y', 2);
          """)
    }
  }

  @Test func `a DELETE of all rows reports each row`() throws {
    #expect(try database.changes(by: "DELETE FROM plain")?["plain"] == TableChanges(deleted: [1, 2, 3]))
  }

  @Test func `a DELETE with a condition that is always true reports each row`() throws {
    #expect(try database.changes(by: "DELETE FROM plain WHERE 1")?["plain"] == TableChanges(deleted: [1, 2, 3]))
  }

  @Test func `a row replaced by another one is reported as deleted`() throws {
    let changes = try database.changes(by: "INSERT OR REPLACE INTO plain VALUES (9, 'b', 0)")
    #expect(changes?["plain"] == TableChanges(inserted: [9], deleted: [2]))
    let more = try database.changes(by: "UPDATE OR REPLACE plain SET name = 'a' WHERE id = 3")
    #expect(more?["plain"] == TableChanges(updated: [3], deleted: [1]))
  }

  @Test func `a row that replaces itself is reported as updated`() throws {
    let changes = try database.changes(by: "REPLACE INTO plain VALUES (2, 'b', 7)")
    #expect(changes?["plain"] == TableChanges(updated: [2]))
  }

  @Test func `a replacement by a table's conflict clause is reported`() throws {
    _ = try database.changes(by: "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT UNIQUE ON CONFLICT REPLACE)")
    let changes = try database.changes(by: "INSERT INTO t VALUES (1, 'k'), (2, 'k')")
    #expect(changes?["t"] == TableChanges(inserted: [2]))
  }

  @Test func `a changed key is reported as one deleted and one inserted row`() throws {
    let changes = try database.changes(by: "UPDATE plain SET id = 20 WHERE id = 2")
    #expect(changes?["plain"] == TableChanges(inserted: [20], deleted: [2]))
    let rowid = try database.changes(by: "UPDATE plain SET rowid = 30 WHERE id = 3")
    #expect(rowid?["plain"] == TableChanges(inserted: [30], deleted: [3]))
  }

  @Test func `changes of tables without a rowid are reported`() throws {
    let changes = try database.changes(
      by:
        "INSERT INTO rowless VALUES ('z', 3); UPDATE rowless SET age = 9 WHERE id = 'x'; DELETE FROM rowless WHERE id = 'y'"
    )
    #expect(changes?["rowless"] == TableChanges(inserted: ["z"], updated: ["x"], deleted: ["y"]))
    #expect(try database.changes(by: "DELETE FROM rowless")?["rowless"] == TableChanges(deleted: ["x", "z"]))
    _ = try database.changes(by: "INSERT INTO rowless VALUES ('x', 1)")
    let replaced = try database.changes(by: "REPLACE INTO rowless VALUES ('x', 2)")
    #expect(replaced?["rowless"] == TableChanges(updated: ["x"]))
  }

  @Test func `text keys are reported unchanged`() throws {
    let changes = try database.changes(
      by:
        "INSERT INTO worded VALUES ('z', 3); UPDATE worded SET age = 9 WHERE id = 'x'; DELETE FROM worded WHERE id = 'y'"
    )
    #expect(changes?["worded"] == TableChanges(inserted: ["z"], updated: ["x"], deleted: ["y"]))
    let renamed = try database.changes(by: "UPDATE worded SET id = 'w' WHERE id = 'x'")
    #expect(renamed?["worded"] == TableChanges(inserted: ["w"], deleted: ["x"]))
    #expect(try database.changes(by: "DELETE FROM worded")?["worded"] == TableChanges(deleted: ["w", "z"]))
  }

  @Test func `keys of several columns are reported as literals`() throws {
    _ = try database.changes(by: "CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (a, b))")
    let changes = try database.changes(by: "INSERT INTO pair VALUES (1, 'x''y')")
    #expect(changes?["pair"] == TableChanges(inserted: ["1,'x''y'"]))
  }

  @Test func `changes undone by a savepoint are not reported`() throws {
    let changes = try database.changes(
      by: """
        UPDATE plain SET age = 0 WHERE id = 1;
        SAVEPOINT s; DELETE FROM plain WHERE id = 2; SAVEPOINT inner; INSERT INTO worded VALUES ('q', 1); RELEASE inner;
        ROLLBACK TO s; UPDATE plain SET age = 0 WHERE id = 3; RELEASE s;
        """)
    #expect(changes?.tables == ["plain": TableChanges(updated: [1, 3])])
  }

  @Test func `a statement that changes no row reports no change`() throws {
    #expect(try database.changes(by: "UPDATE plain SET age = 0 WHERE id = 99; DELETE FROM worded WHERE 0") == nil)
    #expect(try database.changes(by: "INSERT INTO plain VALUES (50, 'n', 1); DELETE FROM plain WHERE id = 50") == nil)
    #expect(try database.changes(by: "INSERT OR IGNORE INTO plain VALUES (1, 'a', 1)") == nil)
  }

  @Test func `rows deleted and updated by foreign keys are reported`() throws {
    _ = try database.changes(
      by: """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id TEXT PRIMARY KEY, parent INTEGER REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE twin (id INTEGER PRIMARY KEY REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE);
        INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES ('one', 1), ('two', 2); INSERT INTO twin VALUES (1), (2);
        """)
    let deleted = try database.changes(by: "DELETE FROM parent WHERE id = 1")
    #expect(deleted?["child"] == TableChanges(deleted: ["one"]))
    #expect(deleted?["twin"] == TableChanges(deleted: [1]))
    let rekeyed = try database.changes(by: "UPDATE parent SET id = 5 WHERE id = 2")
    #expect(rekeyed?["parent"] == TableChanges(inserted: [5], deleted: [2]))
    #expect(rekeyed?["child"] == TableChanges(updated: ["two"]))
    #expect(rekeyed?["twin"] == TableChanges(inserted: [5], deleted: [2]))
  }

  @Test func `changes by the database's own triggers are reported, including replaced rows`() throws {
    _ = try database.changes(
      by: """
        CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT UNIQUE);
        CREATE TRIGGER t AFTER UPDATE ON plain BEGIN
          UPDATE plain SET age = age + 1 WHERE id = new.id;
          INSERT INTO log (what) VALUES (new.name);
        END;
        """)
    let changes = try database.changes(by: "UPDATE plain SET age = 5 WHERE id = 1")
    #expect(changes?.tables == ["plain": TableChanges(updated: [1]), "log": TableChanges(inserted: [1])])
    let replaced = try database.changes(by: "REPLACE INTO plain VALUES (9, 'b', 0)")
    #expect(replaced?["plain"].touches(2) == true)
  }

  @Test func `rows replaced beside triggers that do not call themselves are reported by key`() throws {
    _ = try database.changes(
      by: """
        CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT);
        CREATE TRIGGER t AFTER INSERT ON plain BEGIN INSERT INTO log (what) VALUES (new.name); END;
        """)
    let replaced = try database.changes(by: "REPLACE INTO plain VALUES (9, 'b', 0)")
    #expect(
      replaced?.tables == [
        "plain": TableChanges(inserted: [9], deleted: [2]), "log": TableChanges(inserted: [1]),
      ])
  }

  @Test func `triggers that call each other end as without this package`() throws {
    _ = try database.changes(
      by: """
        CREATE TRIGGER a AFTER UPDATE ON plain BEGIN UPDATE worded SET age = age + 1; END;
        CREATE TRIGGER b AFTER UPDATE ON worded BEGIN UPDATE plain SET age = age + 1 WHERE id = 1; END;
        """)
    let changes = try database.changes(by: "UPDATE plain SET age = 5 WHERE id = 3")
    #expect(changes?["plain"] == TableChanges(updated: [1, 3]))
    #expect(try database.read { try $0.value("SELECT age FROM plain WHERE id = 3") } == 5)
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO note VALUES (1, 'green', 'x')", "INSERT OR REPLACE INTO note VALUES (3, 'green', 'k1')",
    "UPDATE OR REPLACE note SET tag = 'k1' WHERE id = 2",
  ])
  func `a full-text index of another table stays in step when rows are replaced`(_ statement: String) throws {
    _ = try database.changes(
      by: """
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, tag TEXT UNIQUE);
        CREATE VIRTUAL TABLE note_fts USING fts5(text, content = 'note', content_rowid = 'id');
        CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN
          INSERT INTO note_fts (rowid, text) VALUES (new.id, new.text);
        END;
        CREATE TRIGGER note_ad AFTER DELETE ON note BEGIN
          INSERT INTO note_fts (note_fts, rowid, text) VALUES ('delete', old.id, old.text);
        END;
        CREATE TRIGGER note_au AFTER UPDATE ON note BEGIN
          INSERT INTO note_fts (note_fts, rowid, text) VALUES ('delete', old.id, old.text);
          INSERT INTO note_fts (rowid, text) VALUES (new.id, new.text);
        END;
        INSERT INTO note VALUES (1, 'red', 'k1'), (2, 'blue', 'k2');
        """)
    _ = try database.changes(by: statement)
    #expect(try database.read { try $0.rows("SELECT rowid FROM note_fts WHERE note_fts MATCH 'red'") } == [])
    try database.write { try $0.execute("INSERT INTO note_fts (note_fts, rank) VALUES ('integrity-check', 1)") }
  }

  @Test func `dropping a table is reported as a change of every row`() throws {
    let changes = try database.changes(by: "DROP TABLE plain")
    #expect(changes?["plain"].isEverything == true)
    #expect(try database.read { try $0.value("SELECT count(*) FROM sqlite_schema WHERE name = 'plain'") } == 0)
  }

  @Test func `a view can be dropped and created again`() throws {
    _ = try database.changes(by: "CREATE VIEW v AS SELECT id FROM plain")
    _ = try database.changes(by: "DROP VIEW v; CREATE VIEW v AS SELECT id FROM worded")
    #expect(try database.read { try $0.value("SELECT count(*) FROM v") } == 2)
    _ = try database.changes(by: "DROP VIEW v")
    #expect(try database.read { try $0.value("SELECT count(*) FROM sqlite_schema WHERE type = 'view'") } == 0)
  }

  @Test func `changes of a table created in the same transaction are reported`() throws {
    let changes = try database.changes(by: "CREATE TABLE n (id TEXT PRIMARY KEY); INSERT INTO n VALUES ('k')")
    #expect(changes?["n"] == TableChanges(inserted: ["k"]))
    try? database.write { transaction in
      try transaction.execute("CREATE TABLE m (id TEXT PRIMARY KEY)")
      throw CancellationError()
    }
    let again = try database.changes(by: "CREATE TABLE m (id TEXT PRIMARY KEY); INSERT INTO m VALUES ('k')")
    #expect(again?["m"] == TableChanges(inserted: ["k"]))
  }

  @Test func `a renamed table is reported by its new name`() throws {
    _ = try database.changes(by: "ALTER TABLE worded RENAME TO named; ALTER TABLE plain ADD COLUMN more TEXT")
    #expect(
      try database.changes(by: "DELETE FROM named WHERE id = 'x'")?.tables == ["named": TableChanges(deleted: ["x"])])
    #expect(try database.changes(by: "DELETE FROM plain WHERE id = 1")?.tables == ["plain": TableChanges(deleted: [1])])
  }

  @Test func `a full-text table is reported as a whole`() throws {
    _ = try database.changes(by: "CREATE VIRTUAL TABLE words USING fts5(text)")
    let changes = try database.changes(by: "INSERT INTO words VALUES ('some text')")
    #expect(changes?.tables.keys.sorted() == ["words"])
    #expect(changes?["words"].isEverything == true)
  }

  @Test func `a failed statement reports only the rows that it keeps`() throws {
    let collected = Collected(database)
    try database.write { transaction in
      #expect(throws: DatabaseError.self) {
        try transaction.execute("INSERT INTO plain VALUES (7, 'z', 1), (8, 'a', 1)")
      }
      try transaction.execute("UPDATE plain SET age = 4 WHERE id = 1")
    }
    #expect(collected.take().map(\.tables) == [["plain": TableChanges(updated: [1])]])
    try database.write { transaction in
      #expect(throws: DatabaseError.self) {
        try transaction.execute("INSERT OR FAIL INTO plain VALUES (7, 'z', 1), (8, 'a', 1)")
      }
    }
    #expect(collected.take().first?["plain"].touches(7) == true)
  }

  @Test func `names in any spelling are reported as the tables spell them`() throws {
    _ = try database.changes(by: "CREATE TABLE \"Odd \"\"name\" (\"the key\" TEXT PRIMARY KEY)")
    let changes = try database.changes(by: "INSERT INTO \"ODD \"\"NAME\" VALUES ('k'); DELETE FROM PLAIN WHERE ID = 1")
    #expect(changes?["Odd \"name"] == TableChanges(inserted: ["k"]))
    #expect(changes?["plain"] == TableChanges(deleted: [1]))
    #expect(
      try database.changes(by: "UPDATE PLAIN SET ID = 8 WHERE ID = 2")?["plain"]
        == TableChanges(inserted: [8], deleted: [2]))
  }

  @Test func `an upsert is reported as inserts and updates`() throws {
    let changes = try database.changes(
      by: "INSERT INTO plain VALUES (1, 'q', 0), (4, 'd', 0) ON CONFLICT(id) DO UPDATE SET name = excluded.name")
    #expect(changes?["plain"] == TableChanges(inserted: [4], updated: [1]))
  }
}
