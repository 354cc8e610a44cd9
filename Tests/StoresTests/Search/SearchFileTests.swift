import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Full-text indexes in files", .patient)
struct SearchFileTests {
  let fixture: SchemaFixture

  private struct Plain: StoreModel {
    static let table = TableSpec("page`s")
    var id: String
    var title = ""
    var body: String?
    var label: String?
    var count = 0
  }

  private struct Renamed: StoreModel {
    static let table = TableSpec("page`s", search: SearchIndex(["heading"], tokenizer: .trigram))
    var id: String
    var heading: String
    var label: String?
    var count: Int
  }

  init() throws {
    fixture = try SchemaFixture()
  }

  private func check<Model: StoreModel>(_ model: Model.Type, on connection: SQLiteConnection) throws {
    let tables = try #require(try ModelLayout.of(model).searchTables)
    try connection.execute("INSERT INTO \(tables.words) (\(tables.words), rank) VALUES ('integrity-check', 1)")
  }

  @Test func `a migration adds an index and fills it, changes it, and removes it`() throws {
    try fixture.open(Schema(version: 1, models: [Plain.self])) { connection throws in
      try ModelStatements.of(connection).put(Plain(id: "a", title: "milk"))
      try ModelStatements.of(connection).put(Plain(id: "b", title: "tea"))
    }
    let second = Schema(version: 2, models: [Page.self]) {
      MigrationStep(to: 2) { try $0.createTable(of: Unrelated.self) }
    }
    try fixture.open(second) { connection throws in
      #expect(try connection.all(Page.matching("milk")).map(\.id) == ["a"])
      try check(Page.self, on: connection)
    }
    #expect(try fixture.open(second) == .current)

    let third = Schema(version: 3, models: [Renamed.self]) {
      MigrationStep(to: 3) { migration in
        try migration.execute("INSERT OR REPLACE INTO `page``s` (id, title, count) VALUES ('a', 'coffee', 0)")
        try migration.dropColumn("body", of: "page`s")
        try migration.renameColumn("title", of: "page`s", to: "heading")
      }
    }
    try fixture.open(third) { connection throws in
      #expect(try connection.all(Renamed.matching("offe")).map(\.id) == ["a"])
      try check(Renamed.self, on: connection)
    }
    let objects = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'signals\\_search%' ESCAPE '\\'"
    #expect(try fixture.sql(objects) != 0)
    let fourth = Schema(version: 4, models: [Reduced.self]) { MigrationStep(to: 4) }
    try fixture.open(fourth)
    #expect(try fixture.sql(objects) == 0)
  }

  private struct Unrelated: StoreModel {
    static let table = TableSpec("unrelated")
    var id: Int
  }

  private struct Reduced: StoreModel {
    static let table = TableSpec("page`s")
    var id: String
    var heading: String
    var count: Int
  }

  @Test func `an index that the model has and the file lacks is an error with the difference`() throws {
    try fixture.open(Schema(version: 1, models: [Page.self]))
    let forgotten = databaseError { try fixture.open(Schema(version: 1, models: [Plain.self])) }
    guard case .schema(.mismatch("page`s", let differences), _) = forgotten else { return recordUnexpected(forgotten) }
    #expect(Set(differences.map(\.part)) == [.search, .index])

    try fixture.script("DROP TRIGGER `signals_search_update ``page````s```")
    let error = databaseError { try fixture.open(Schema(version: 1, models: [Page.self])) }
    guard case .schema(.mismatch("page`s", let missing), _) = error else { return recordUnexpected(error) }
    #expect(missing.map(\.part) == [.search])
    #expect(missing[0].found == nil)
  }

  @Test func `vacuuming a table with text keys keeps its index`() throws {
    try fixture.open(.searched) { connection throws in
      for number in 0..<50 {
        try ModelStatements.of(connection).put(Page(id: "p\(number)", title: "page\(number)"))
      }
      try connection.execute("DELETE FROM `page``s` WHERE length(id) = 2")
    }
    let vacuuming = try fixture.connect()
    vacuuming.isPrivileged = true
    try vacuuming.execute("VACUUM")
    vacuuming.close()
    try fixture.open(.searched) { connection throws in
      for number in 10..<50 { #expect(try connection.all(Page.matching("page\(number)")).map(\.id) == ["p\(number)"]) }
      try check(Page.self, on: connection)
    }
  }

  @Test func `tables whose names resemble the index's own tables have indexes, too`() throws {
    struct Note: StoreModel {
      static let table = TableSpec("note", search: SearchIndex(["text"]))
      var id: Int
      var text: String
    }
    struct NoteData: StoreModel {
      static let table = TableSpec("note_data", search: SearchIndex(["text"]))
      var id: Int
      var text: String
    }
    let schema = Schema(version: 1, models: [NoteData.self, Note.self])
    try fixture.open(schema) { connection throws in
      try ModelStatements.of(connection).put(NoteData(id: 1, text: "data"))
      #expect(try connection.count(Note.matching("data")) == 0)
      #expect(try connection.count(NoteData.matching("data")) == 1)
    }
    let next = Schema(version: 2, models: [NoteData.self, Note.self]) { MigrationStep(to: 2) }
    try fixture.open(next) { connection throws in #expect(try connection.count(NoteData.matching("data")) == 1) }
  }

  @Test func `a program that replaces rows without calling triggers damages the index, which can be rebuilt`() throws {
    let database = try Database(.file(URL(filePath: fixture.path)), schema: .searched)
    try database.write { try $0.put(Letter(id: 1, title: "milk")) }
    let foreign = try SQLiteConnection(path: fixture.path, access: .writing, busyTimeout: .seconds(9))
    try foreign.execute("INSERT OR REPLACE INTO letter (id, title, count) VALUES (1, 'tea', 0)")
    foreign.close()
    #expect(throws: DatabaseError.self) { try database.write { try $0.checkIndexes() } }
    try database.write { transaction throws in
      try transaction.rebuildSearchIndex(of: Letter.self)
      try transaction.checkIndexes()
      #expect(try transaction.titles("milk tea", .anyWord) == ["tea"])
    }
  }
}
