import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

private struct City: StoreModel, Equatable {
  static let table = TableSpec(
    "city", indexes: [TableIndex(expressions: ["initial(name)"])], unique: ["name"], checks: ["initial(name) <> 'X'"],
    collations: ["name": "backwards"])
  var id: Int
  var name: String
}

@Suite("Functions and collations in Swift", .patient)
struct DatabaseFunctionTests {
  private static let initial = DatabaseFunction("initial", argumentCount: 1, pure: true) { arguments in
    arguments[0].stringValue?.prefix(1).uppercased()
  }
  private static let backwards = DatabaseCollation("backwards") { left, right in
    left.lowercased() == right.lowercased() ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
  }
  private struct Refusal: Error, CustomStringConvertible { let description = "no, thanks" }

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var location: DatabaseLocation { .file(directory.file("cities.sqlite")) }

  private func open(_ location: DatabaseLocation) throws -> Database {
    try Database(
      location, schema: Schema(version: 1, models: [City.self]), functions: [Self.initial],
      collations: [Self.backwards])
  }

  @Test func `a table uses them in checks, indexes and collations, on every connection`() throws {
    for location in [.memory, location] {
      let database = try open(location)
      try database.write { transaction throws in
        try transaction.put([City(id: 1, name: "Rome"), City(id: 2, name: "Oslo")])
        #expect(throws: DatabaseError.self) { try transaction.put(City(id: 3, name: "Xanten")) }
        #expect(throws: DatabaseError.self) { try transaction.put(City(id: 3, name: "ROME")) }
      }
      let names = try database.read { try $0.rows("SELECT name, initial(name) FROM city ORDER BY name").map(\.values) }
      #expect(names == [["Rome", "R"], ["Oslo", "O"]])
    }
  }

  @Test func `a schema that needs a missing function or collation is an error when opened`() throws {
    let schema = Schema(version: 1, models: [City.self])
    for (functions, collations, name) in [([], [Self.backwards], "initial"), ([Self.initial], [], "backwards")]
      as [([DatabaseFunction], [DatabaseCollation], String)]
    {
      let error = databaseError { try Database(location, schema: schema, functions: functions, collations: collations) }
      guard case .schema(.invalidSchema(let reason), _) = error else { return recordUnexpected(error) }
      #expect(reason.contains(name))
    }
  }

  @Test func `all kinds of values are passed and returned, and an error fails the statement`() throws {
    let echo = DatabaseFunction("echo") { arguments in
      if arguments.isEmpty { throw Refusal() }
      return arguments.last
    }
    let database = try Database(.memory, functions: [echo])
    for value in [nil, 1, -2.5, "", "é\0x", .blob(Data()), .blob(Data([0, 1, 255])), .integer(.min)] as [SQLiteValue] {
      #expect(try database.read { try $0.value("SELECT echo(1, ?)", value) } == value)
    }
    #expect(try database.read { try $0.value("SELECT echo(CAST(x'ff' AS TEXT))") }.stringValue == "\u{FFFD}")
    let error = databaseError { try database.read { try $0.value("SELECT echo()") } }
    guard case .invalidStatement(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.message.contains("echo") && failure.message.contains("no, thanks"))
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("CREATE TABLE t AS SELECT echo()") } }
    #expect(try database.read { try $0.value("SELECT echo(7)") } == 7, "the connection still works")
  }

  @Test func `a wrong number of arguments is an error, and does not call the function`() throws {
    let database = try open(.memory)
    for sql in ["SELECT initial()", "SELECT initial(1, 2)"] {
      #expect(throws: DatabaseError.self) { try database.read { try $0.value(sql) } }
    }
    #expect(try database.read { try $0.value("SELECT initial(x'00')") } == .null)
  }

  @Test func `invalid names and argument counts are typed errors`() throws {
    func isRefused(_ name: String, _ count: Int? = nil) -> Bool {
      let error = databaseError {
        try Database(.memory, functions: [DatabaseFunction(name, argumentCount: count) { _ in nil }])
      }
      guard case .invalidFunction(name, _, _) = error else { return false }
      return true
    }
    for name in ["", "a\0b", "signals_note_change", String(repeating: "x", count: 256)] { #expect(isRefused(name)) }
    #expect(isRefused("f", -1) && isRefused("f", 128) && !isRefused("f", 127) && !isRefused("a b 'c'", 0))
    for name in ["", "NoCase", "signals_decimal"] {
      let collation = DatabaseCollation(CollationName(rawValue: name)) { _, _ in .orderedSame }
      #expect(throws: DatabaseError.self) { try Database(.memory, collations: [collation]) }
    }
  }

  @Test func `functions are released with the connections`() throws {
    final class Token: Sendable {}
    weak var released: Token?
    do {
      let token = Token()
      released = token
      let function = DatabaseFunction("held") { _ in withExtendedLifetime(token) { 1 } }
      let database = try Database(location, functions: [function])
      #expect(try database.read { try $0.value("SELECT held()") } == 1)
      try database.close()
    }
    #expect(released == nil)
  }
}

@Suite("Work outside a transaction", .patient)
struct OutsideTransactionTests {
  let fixture: SchemaFixture
  let database: Database

  init() throws {
    fixture = try SchemaFixture()
    database = try Database(.file(URL(filePath: fixture.path)), schema: .searched)
  }

  @Test func `a file is vacuumed while others read, and stays in use`() async throws {
    try await database.write { transaction throws in
      for number in 0..<200 {
        try transaction.put(Letter(title: "milk \(number)", body: String(repeating: "x", count: 3000)))
        try transaction.put(Page(id: "p\(number)", title: "milk"))
      }
      try transaction.execute(
        script:
          "CREATE TABLE sum (a INTEGER CHECK (a > 0), b INTEGER AS (a * 2), c TEXT COLLATE NOCASE); INSERT INTO sum VALUES (1, 'x')"
      )
      try transaction.execute("DELETE FROM letter WHERE id > 10")
      try transaction.execute("DELETE FROM `page``s` WHERE length(id) > 2")
    }
    let before = try await database.withoutTransaction { try $0.execute("PRAGMA page_count")[0][0].int64Value ?? 0 }
    let collected = Collected(database)
    let rows = try await database.withoutTransaction { connection throws in
      try connection.execute("VACUUM")
      return try connection.execute("PRAGMA page_count")[0][0].int64Value ?? 0
    }
    #expect(rows < before)
    #expect(collected.take().isEmpty)
    #expect(try await database.read { try $0.count(Page.matching("milk")) } == 10)
    #expect(try await database.read { try $0.value("SELECT b FROM sum") } == 2)
    try await database.write { try $0.put(Letter(title: "after")) }
    #expect(try await database.integrityCheck() == [])
  }

  @Test(arguments: [
    "INSERT INTO letter (title, count) VALUES ('a', 1)", "DELETE FROM letter", "UPDATE letter SET count = 1",
    "CREATE TABLE t (a)", "DROP TABLE letter", "BEGIN", "COMMIT", "SAVEPOINT a", "", "SELECT 1; SELECT 2",
    "VACUUM; BEGIN",
    "WITH a AS (SELECT 1) DELETE FROM letter",
  ])
  func `changes and transactions are refused`(_ sql: String) throws {
    let before = try fixture.content()
    #expect(throws: DatabaseError.self) { try database.withoutTransaction { try $0.execute(sql) } }
    #expect(try fixture.content() == before)
    try database.write { try $0.put(Letter(title: "works")) }
  }

  @Test func `it reads, but begins no write and no second one, and ends with its closure`() throws {
    try database.write { try $0.put(Letter(title: "a")) }
    let path = database.location.path
    var kept: DatabaseConnection?
    try database.withoutTransaction { connection throws in
      kept = connection
      #expect(try connection.execute("SELECT title FROM letter WHERE id = ?", 1)[0][0] == "a")
      #expect(try database.read { try $0.count(Letter.self) } == 1)
      #expect(throws: DatabaseError.nestedAccess(path: path, inner: "write", outer: "withoutTransaction")) {
        try database.write { _ in }
      }
      #expect(throws: DatabaseError.nestedAccess(path: path, inner: "withoutTransaction", outer: "withoutTransaction"))
      {
        try database.withoutTransaction { _ in }
      }
    }
    #expect(throws: DatabaseError.transactionIsOver(path: path)) { try kept?.execute("VACUUM") }
    #expect(throws: DatabaseError.nestedAccess(path: path, inner: "withoutTransaction", outer: "write")) {
      try database.write { _ in try database.withoutTransaction { _ in } }
    }
  }
}
