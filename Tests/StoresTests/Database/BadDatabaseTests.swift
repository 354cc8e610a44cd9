import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Unusable databases")
struct BadDatabaseTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("a.sqlite") }
  private var path: String { url.path }

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(busyTimeout: Duration = .milliseconds(50), applicationID: Int32 = 0) throws -> Database {
    try Database(.file(url), busyTimeout: busyTimeout, applicationID: applicationID)
  }

  private func fill(_ count: Int = 1) throws {
    let database = try open()
    try database.write { transaction in
      try transaction.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
      for _ in 0..<count { try transaction.execute("INSERT INTO t (text) VALUES (hex(randomblob(100)))") }
    }
    try database.close()
  }

  @Test func `a file that is not a database is reported and left alone`() throws {
    let content = Data(repeating: 65, count: 5000)
    try content.write(to: url)
    let error = databaseError { _ = try open() }
    guard case .notADatabase(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.path == path && failure.code == 26)
    #expect(try Data(contentsOf: url) == content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["a.sqlite"])
  }

  @Test func `a damaged file is reported and left alone`() throws {
    try fill(1000)
    var content = try Data(contentsOf: url)
    content.replaceSubrange(4096..<content.count, with: Data(repeating: 7, count: content.count - 4096))
    try content.write(to: url)
    let error = databaseError { try open().read { _ = try $0.rows("SELECT * FROM t") } }
    guard case .corrupt(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.path == path && failure.statement == "SELECT * FROM t")
    #expect(try Data(contentsOf: url) == content)
  }

  @Test func `a truncated file is reported`() throws {
    try fill(1000)
    let content = try Data(contentsOf: url)
    try content.prefix(content.count / 2).write(to: url)
    let error = databaseError { try open().read { _ = try $0.rows("SELECT * FROM t") } }
    #expect(error?.failure?.code == 11)
  }

  @Test func `a missing directory is reported in words`() throws {
    let place = directory.url.appending(path: "missing/a.sqlite")
    let error = databaseError { _ = try Database(.file(place)) }
    guard case .cannotOpen(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.systemError == "No such file or directory")
    #expect(error?.description.contains(place.path) == true)
  }

  @Test func `a directory or a pipe in the file's place is reported without blocking`() throws {
    #expect(
      databaseError { _ = try Database(.file(directory.url)) }
        == .notARegularFile(path: directory.url.path, kind: "a directory"))
    #expect(mkfifo(path, 0o600) == 0)
    #expect(databaseError { _ = try open() } == .notARegularFile(path: path, kind: "a named pipe"))
  }

  @Test func `another program's database is rejected and left alone`() throws {
    try Database(.file(url), applicationID: 7).close()
    let content = try Data(contentsOf: url)
    #expect(
      databaseError { _ = try open(applicationID: 8) }
        == .foreignDatabase(path: path, applicationID: 7, expected: 8))
    #expect(try Data(contentsOf: url) == content)
    try open(applicationID: 7).close()
    try open().close()
  }

  @Test func `a locked database is waited for until a timeout`() throws {
    try fill()
    let database = try open()
    let other = try SQLiteConnection(path: path, access: .writing, busyTimeout: .zero)
    try other.begin()
    let error = databaseError { try database.write { try $0.execute("DELETE FROM t") } }
    guard case .busy(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.path == path)
    #expect(try database.read { try $0.value("SELECT count(*) FROM t") } == 1)
    try other.commit()
    try database.write { try $0.execute("DELETE FROM t") }
  }

  @Test func `an exclusively locked file is reported when it is opened`() throws {
    try fill()
    let other = try SQLiteConnection(path: path, access: .writing, busyTimeout: .zero)
    try other.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; DELETE FROM t")
    let error = databaseError { _ = try open() }
    guard case .busy = error else { return recordUnexpected(error) }
    other.close()
    #expect(try open().read { try $0.value("SELECT count(*) FROM t") } == 0)
  }

  @Test func `a closed database throws, and its rows are kept`() throws {
    try fill()
    let database = try open()
    try database.read { _ = try $0.rows("SELECT 1") }
    try database.close()
    try database.close()
    #expect(databaseError { try database.write { _ in } } == .closed(path: path))
    #expect(databaseError { try database.read { _ in } } == .closed(path: path))
    #expect(try open().read { try $0.value("SELECT count(*) FROM t") } == 1)
    let memory = try Database(.memory)
    try memory.close()
    #expect(databaseError { try memory.read { _ in } } == .closed(path: ":memory:"))
  }

  @Test func `an invalid statement is reported with its text`() throws {
    let database = try open()
    let error = databaseError { try database.write { try $0.execute("INSERT INTO missing VALUES (?)", 1) } }
    guard case .invalidStatement(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.table == "missing" && failure.statement == "INSERT INTO missing VALUES (?)")
    #expect(databaseError { try database.read { _ = try $0.rows("SELEC 1") } }?.failure?.statement == "SELEC 1")
  }

  @Test func `a violated constraint is reported with table and column`() throws {
    let database = try Database(.memory)
    try database.write { try $0.execute("CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
    let error = databaseError { try database.write { try $0.execute("INSERT INTO p VALUES (1, NULL)") } }
    guard case .constraint(let failure) = error else { return recordUnexpected(error) }
    #expect(failure.table == "p" && failure.columns == ["name"])
  }

  @Test func `a foreign key violated at the end of a write rolls it back`() throws {
    let database = try Database(.memory)
    let schema = "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES a DEFERRABLE INITIALLY DEFERRED)"
    try database.write { try $0.execute(schema) }
    let collected = Collected(database)
    let error = databaseError { try database.write { try $0.execute("INSERT INTO a VALUES (1, 2)") } }
    #expect(error?.failure?.extendedCode == 787)
    #expect(try database.read { try $0.value("SELECT count(*) FROM a") } == 0)
    #expect(collected.sets.isEmpty)
    try database.write { try $0.execute("INSERT INTO a VALUES (2, 2)") }
    #expect(collected.sets.map(\.tables) == [["a": TableChanges(inserted: [2])]])
  }
}
