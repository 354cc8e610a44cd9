import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Rows")
struct RowTests {
  private static let values: [SQLiteValue] = [
    0, -1, .integer(.max), .integer(.min), 0.5, .real(-.infinity), .real(.greatestFiniteMagnitude), "", "a",
    "zwölf Żółw 😀",
    .text("a\0b"), .text(String(repeating: "long ", count: 5_000)), .blob(Data()), .blob(Data([0, 255, 0])),
    .blob(Data(count: 10_000)), .null,
  ]

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `a row keeps the values of all columns, after the statement has gone on`(encoding: String) throws {
    let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .zero)
    try connection.execute("PRAGMA encoding = '\(encoding)'; CREATE TABLE t (\(columns))")
    let parameters = SQL.parameters(Self.values.count)
    try connection.run("INSERT INTO t VALUES (\(parameters))", Self.values)
    try connection.run("INSERT INTO t VALUES (\(parameters))", Self.values.reversed())
    let rows = try connection.rows("SELECT * FROM t ORDER BY rowid")
    #expect(rows.map(\.values) == [Self.values, Self.values.reversed()])
    #expect(rows[0].columns == Self.values.indices.map { "c\($0)" })
    for (place, value) in Self.values.enumerated() {
      #expect(rows[0][place] == value && rows[0]["c\(place)"] == value)
    }
    let again = try connection.rows("SELECT * FROM t ORDER BY rowid")
    #expect(rows == again && rows[0] != rows[1] && Set(rows + again).count == 2)
    #expect(try connection.rows("SELECT c0 AS x FROM t") != connection.rows("SELECT c0 AS y FROM t"))
  }

  private var columns: String { Self.values.indices.map { "c\($0)" }.joined(separator: ", ") }

  @Test
  func `equal numbers are equal rows, and text that is not UTF-8 is repaired`() throws {
    let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .zero)
    let zeros = try connection.rows("SELECT 0.0 AS x UNION ALL SELECT -0.0")
    #expect(zeros.count == 2 && zeros[0] == zeros[1] && Set(zeros).count == 1)
    #expect(try connection.rows("SELECT 1 AS x") != connection.rows("SELECT 1.0 AS x"))
    #expect(try connection.value("SELECT CAST(x'61ff62' AS TEXT)") == "a\u{FFFD}b")
    #expect(try connection.rows("SELECT CAST(x'61ff62' AS TEXT)")[0][0] == "a\u{FFFD}b")
  }

  @Test
  func `a statement that is reused does not keep the arguments of its last run`() throws {
    let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .zero)
    let sql = "SELECT ?, ?"
    for arguments: [SQLiteValue] in [["a", 1], [2, "b"], [nil, nil], [.blob(Data([1])), 0.5], [3, 4]] {
      #expect(try connection.rows(sql, arguments)[0].values == arguments)
    }
  }
}
