import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Descriptions of databases and rows")
struct DescriptionTests {
  @Test func `the description of a database has its path and its state`() throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("list.sqlite")
    let database = try liveDatabase(.file(url))
    #expect("\(database)" == "Database(\(url.path), open)")
    #expect("\(try Database(.file(url), access: .readOnly))" == "Database(\(url.path), open for reading only)")
    try database.close()
    #expect("\(database)".hasPrefix("Database(\(url.path), closed: "))
    #expect("\(try Database(.memory))" == "Database(:memory:, open)")
  }

  @Test func `the description of a row has its columns and values`() throws {
    let row = try #require(
      try Database(.memory).read { try $0.rows("SELECT 1 AS id, 'O''Neil' AS name, NULL AS age") }.first)
    #expect("\(row)" == "(id: 1, name: 'O''Neil', age: NULL)")
  }
}
