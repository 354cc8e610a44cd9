import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Inspected databases")
struct InspectedDatabaseTests {
  @Test(arguments: ["a\"b", "a\"\u{301}b", "a`\u{301}b", "select", "[x]"])
  func `tables and columns with any name are read`(_ name: String) throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("list.sqlite")
    let database = try Database(.file(url))
    let (table, column) = (SQL.name(name), SQL.name("c " + name))
    try database.write { try $0.execute(script: "CREATE TABLE \(table) (\(column) TEXT PRIMARY KEY)") }
    try database.write { try $0.execute("INSERT INTO \(table) VALUES (?)", "one") }
    #expect(try DatabaseInspection.read(url).tables.map(\.name) == [name])
    let page = try DatabaseInspection.rows(url, table: name, offset: 0, limit: 10)
    #expect(page?.columns == ["c " + name] && page?.rows == [[.text("one")]])
  }

  @Test
  func `the mode of a database is the same while a process has it open and at rest`() throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("list.sqlite")
    do {
      let database = try Database(.file(url))
      try database.write { try $0.execute("CREATE TABLE list (name TEXT)") }
      #expect(try DatabaseInspection.read(url).journal == "wal")
      withExtendedLifetime(database) {}
    }
    #expect(try DatabaseInspection.read(url).journal == "wal")
    let other = directory.file("other.sqlite")
    let connection = try SQLiteConnection(path: other.path, access: .writing, busyTimeout: .zero)
    try connection.execute("PRAGMA journal_mode = DELETE; CREATE TABLE list (name TEXT)")
    connection.close()
    #expect(try DatabaseInspection.read(other).journal == "delete")
  }
}
