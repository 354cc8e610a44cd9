import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Inspected databases with unusual names")
struct InspectedNamesTests {
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
}
