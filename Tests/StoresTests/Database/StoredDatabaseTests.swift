import Foundation
import Signals
@testable import Stores
import TestSupport
import Testing

/// The database was open when it was copied: most of it is in the write-ahead log.
///
/// The author `app` has made changes that `widget` has not received.
@Suite("Databases written by earlier versions", .patient)
struct StoredDatabaseTests {
  private static func row(_ number: UInt8, _ text: String) throws -> Everything {
    Everything(
      id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)), flag: true, small: 255, large: .min,
      ratio: 0.1, single: 1.5, text: text, data: Data([0, 255]), date: Date(timeIntervalSinceReferenceDate: 86_400.25),
      url: try #require(URL(string: "https://example.com/?q=%C3%BC")),
      price: try #require(Decimal(string: "12345678901234567890.12")), color: .green, level: .low, tags: ["a", "ü"],
      scores: ["a": 1], place: .init(name: "here", moment: Date(timeIntervalSinceReferenceDate: 0), bytes: Data([7])),
      shape: .circle(radius: 1.5), note: nil, count: 42, when: nil, key: nil, blob: Data(), mood: .bad, spot: nil,
      homepage: nil)
  }

  private func open(_ fixture: ShareFixture) throws -> Database {
    try Database(.file(fixture.file), schema: Schema(version: 1, models: [Everything.self]))
  }

  private func key(_ number: UInt8) throws -> SQLiteValue {
    try Self.row(number, "").id.sqliteValue
  }

  private func share(_ fixture: ShareFixture, _ database: Database, _ author: String) throws -> DatabaseShare {
    try fixture.share(database, author, scope: ["everything"])
  }

  @Test(.enabled(if: StoredFormat.writtenGeneration != nil))
  func `writes the stored database of this version`() throws {
    let fixture = try ShareFixture()
    let database = try open(fixture)
    let app = try share(fixture, database, "app")
    try share(fixture, open(fixture), "widget").close()
    try database.write { for number: UInt8 in 1...3 { try $0.put(Self.row(number, "tea")) } }
    try database.write { try $0.put(Self.row(2, "bread")) }
    try database.write { _ = try $0.delete(Everything.self, id: Self.row(3, "").id) }
    try StoredFormat.store(fixture.directory.url, as: "database")
    app.close()
  }

  @Test
  func `stored databases of earlier versions exist`() {
    #expect(!StoredFormat.all("database").isEmpty)
  }

  @Test(arguments: StoredFormat.all("database"))
  func `rows are read and written`(_ stored: StoredFormat) throws {
    let fixture = try ShareFixture(stored)
    let database = try open(fixture)
    let rows = try [Self.row(1, "tea"), Self.row(2, "bread")]
    #expect(try database.read { try $0.all(Everything.self) }.sorted { $0.text > $1.text } == rows)
    try database.write { try $0.put(Self.row(2, "milk")) }
    #expect(try database.read { try $0.find(Everything.self, id: rows[1].id) } == Self.row(2, "milk"))
  }

  @Test(arguments: StoredFormat.all("database"))
  func `a process receives missed changes, and its own changes reach the other`(_ stored: StoredFormat) async throws {
    let fixture = try ShareFixture(stored)
    do {
      let database = try open(fixture)
      let widget = try share(fixture, database, "widget")
      let pending = try widget.pendingCount()
      #expect(pending == 3)
      let incoming = widget.incoming.recorded()
      let changes = try await incoming.wait(for: "three changes") { $0.count == 3 }
      #expect(changes.map(\.origin) == [.peer("app"), .peer("app"), .peer("app")])
      #expect(try changes[0]["everything"] == TableChanges(inserted: [key(1), key(2), key(3)]))
      #expect(try changes[1]["everything"] == TableChanges(updated: [key(2)]))
      #expect(try changes[2]["everything"] == TableChanges(deleted: [key(3)]))
      try await database.write { try $0.put(Self.row(4, "eggs")) }
      widget.close()
    }
    let app = try share(fixture, open(fixture), "app")
    let change = try await app.incoming.recorded().first { _ in true }
    #expect(change.sequence == 4 && change.origin == .peer("widget"))
    #expect(try change["everything"] == TableChanges(inserted: [key(4)]))
    app.close()
  }

  @Test(arguments: StoredFormat.all("database"))
  func `a newer schema migrates the file, and keeps a backup`(_ stored: StoredFormat) throws {
    let fixture = try ShareFixture(stored)
    let schema = Schema(version: 2, models: [Everything.self]) {
      MigrationStep(to: 2) { try $0.execute("UPDATE everything SET text = 'migrated'") }
    }
    let database = try Database(.file(fixture.file), schema: schema)
    #expect(try database.read { try $0.all(Everything.self) }.map(\.text) == ["migrated", "migrated"])
    let backup = try Database(.file(fixture.directory.file("list.sqlite.v1.backup")))
    #expect(try backup.read { try $0.all(Everything.self) }.map(\.text).sorted() == ["bread", "tea"])
  }
}
