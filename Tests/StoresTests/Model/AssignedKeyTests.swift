import Foundation
import TestSupport
import Testing

@testable import Stores

private struct NoteID: RawRepresentable, Codable, StoreKey {
  var rawValue: Int64
}

private struct Note: StoreModel, Equatable {
  static let table = TableSpec("note", unique: ["text"])
  var id: Int64?
  var text: String
}

private struct Wrapped: StoreModel, Equatable {
  static let table = TableSpec("wrapped")
  var id: NoteID?
  var text: String
}

@Suite("Keys that the database assigns", .patient)
struct AssignedKeyTests {
  let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Note.self, Wrapped.self]))
  }

  @Test func `a row without a key gets one, and is returned with it`() throws {
    try database.write { transaction throws in
      let first = try transaction.put(Note(text: "a"))
      #expect(first == Note(id: 1, text: "a"))
      #expect(try transaction.put(Wrapped(text: "w")).id?.rawValue == 1)
      let more = try transaction.put([Note(text: "b"), Note(id: 9, text: "c"), Note(text: "d")])
      #expect(more.map(\.id) == [2, 9, 10])
      #expect(try transaction.find(Note.self, id: 10) == more[2])
      #expect(try transaction.find(Note.self, id: nil) == nil)
    }
  }

  @Test func `a row with a key is updated`() throws {
    try database.write { transaction throws in
      var note = try transaction.put(Note(text: "a"))
      note.text = "b"
      #expect(try transaction.put(note) == note)
      #expect(try transaction.update(Note.self, id: note.id) { $0.text += "!" } == Note(id: 1, text: "b!"))
      #expect(try transaction.count(Note.self) == 1)
    }
  }

  @Test func `the key of a deleted row is not assigned again`() throws {
    let keys = try database.write { transaction throws in
      let first = try transaction.put(Note(text: "a"))
      try transaction.delete(Note.self, id: first.id)
      return [first.id, try transaction.put(Note(text: "b")).id]
    }
    #expect(keys == [1, 2])
  }

  @Test func `a refused row gets no key`() throws {
    try database.write { transaction throws in
      try transaction.put(Note(text: "a"))
      #expect(throws: DatabaseError.self) { try transaction.put(Note(text: "a")) }
      #expect(try transaction.count(Note.self) == 1)
      try transaction.execute(
        script: "CREATE TRIGGER t BEFORE INSERT ON note WHEN new.text = 'x' BEGIN SELECT RAISE(IGNORE); END")
      #expect(throws: DatabaseError.self) { try transaction.put(Note(text: "x")) }
    }
  }

  @Test func `assigned keys are reported as changes, and live rows follow them`() throws {
    let collected = Collected(database)
    let saved = try database.write { try $0.put(Note(text: "a")) }
    #expect(collected.take().map(\.tables) == [["note": TableChanges(inserted: [1])]])
    let live = try database.live(Note.self, id: saved.id)
    #expect(live.value == saved)
    try database.write { try $0.put(Note(id: 1, text: "b")) }
    #expect(live.value?.text == "b")
  }

  @Test func `only an integer key can be assigned, and only in a table whose key is the rowid`() throws {
    struct Named: StoreModel {
      static let table = TableSpec("named")
      var id: String?
    }
    let error = databaseError { try Database(.memory, schema: Schema(version: 1, models: [Named.self])) }
    guard case .model(.invalidKey(table: "named", column: "id", _), _) = error else { return recordUnexpected(error) }

    let fixture = try SchemaFixture()
    try fixture.script("CREATE TABLE note (id INT PRIMARY KEY NOT NULL, text TEXT NOT NULL)")
    let adopting = Schema(version: 1, models: [Note.self]) { MigrationStep(to: 1) }
    let refusal = databaseError { try fixture.open(adopting) }
    guard case .schema(.mismatch("note", let differences), _) = refusal else { return recordUnexpected(refusal) }
    #expect(differences.map(\.part) == [.column("id")])
  }

  @Test func `a model whose key becomes optional needs no migration, and keeps its sequence in one`() throws {
    struct Keyed: StoreModel {
      static let table = Note.table
      var id: Int64
      var text: String
    }
    let fixture = try SchemaFixture()
    try fixture.open(Schema(version: 1, models: [Keyed.self])) { connection throws in
      try ModelStatements.of(connection).put(Keyed(id: 5, text: "a"))
    }
    try fixture.open(Schema(version: 1, models: [Note.self])) { connection throws in
      #expect(try ModelStatements.of(connection).putReturning(Note(text: "b")).id == 6)
    }
    let rebuilding = Schema(version: 3, models: [Note.self]) {
      MigrationStep(to: 2) { try $0.rebuildTable(of: Note.self) }
      MigrationStep(to: 3) { migration in
        try migration.put(Note(text: "c"))
        try migration.execute("DELETE FROM note")
        try migration.rebuildTable(of: Note.self)
      }
    }
    try fixture.open(rebuilding) { connection throws in
      #expect(try ModelStatements.of(connection).putReturning(Note(text: "d")).id == 8)
    }
  }
}
