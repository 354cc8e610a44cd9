import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("A connection to SQLite")
struct SQLiteConnectionTests {
  private func open(_ path: String = ":memory:") throws -> SQLiteConnection {
    try SQLiteConnection(path: path, access: .writing, busyTimeout: .milliseconds(10))
  }

  @Test func `values of every type are read as written`() throws {
    let connection = try open()
    let values: [SQLiteValue] = [
      .null, 1, .integer(.min), 2.5, "", "three\0four", "日本 👩‍👩‍👧", .blob(Data()), .blob(Data([0, 255])),
    ]
    for value in values { #expect(try connection.value("SELECT ?", [value]) == value) }
  }

  @Test func `a statement is prepared once`() throws {
    let connection = try open()
    let first = try connection.statement("SELECT 1")
    connection.giveBack(first)
    let second = try connection.statement("SELECT 1")
    #expect(first === second)
    let third = try connection.statement("SELECT 1")
    #expect(third !== second)
  }

  @Test func `several statements are a script, not a statement`() throws {
    let connection = try open()
    #expect(throws: DatabaseError.self) { try connection.prepare("CREATE TABLE a (x); CREATE TABLE b (x)") }
    #expect(throws: DatabaseError.self) { try connection.prepare(" -- nothing") }
    try connection.execute("CREATE TABLE a (x); -- a comment\n INSERT INTO a VALUES (1); ;")
    #expect(try connection.value("SELECT count(*) FROM a") == 1)
  }

  @Test func `a wrong number of arguments is an error`() throws {
    let connection = try open()
    #expect(throws: DatabaseError.wrongArgumentCount(statement: "SELECT ?", path: ":memory:", expected: 1, given: 2)) {
      try connection.value("SELECT ?", [1, 2])
    }
  }

  @Test func `an error names statement, table and column`() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE)")
    try connection.execute("INSERT INTO person VALUES (1, 'a')")
    let error = #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO person VALUES (2, 'a')") }
    #expect(error?.failure?.table == "person")
    #expect(error?.failure?.columns == ["email"])
    #expect(error?.failure?.code == 19)
    #expect(error?.failure?.extendedCode == 2067)
    #expect(error?.failure?.statement == "INSERT INTO person VALUES (2, 'a')")
  }

  @Test func `a statement cannot begin or end a transaction`() throws {
    let connection = try open()
    for statement in ["BEGIN", "COMMIT", "ROLLBACK", "END"] {
      #expect(throws: DatabaseError.transactionStatement(statement: statement, path: ":memory:")) {
        try connection.execute(statement)
      }
    }
    try connection.begin()
    #expect(connection.isInTransaction)
    try connection.commit()
    #expect(!connection.isInTransaction)
  }
}
