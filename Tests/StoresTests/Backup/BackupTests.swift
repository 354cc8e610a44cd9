import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Backups", .patient)
struct BackupTests {
  let directory: TemporaryDirectory
  let database: Database

  init() throws {
    directory = try TemporaryDirectory()
    database = try Database(.file(directory.file("source.sqlite")), schema: .searched)
    try database.write { transaction throws in
      for number in 0..<400 {
        try transaction.put(Letter(title: "milk \(number)", body: String(repeating: "x", count: 2000)))
      }
    }
  }

  private var copy: URL { directory.file("copy.sqlite") }

  private struct Stop: Error {}

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter { $0.contains("copy") }.sorted()
  }

  private func refusal(_ destination: URL) -> String? {
    guard
      case .backupFailed(database.location.path, destination.path, let reason) = databaseError({
        try database.backup(to: destination)
      })
    else { return nil }
    return reason
  }

  @Test func `a copy contains everything, in one file that another process can read`() throws {
    let states = Shared<[DatabaseBackupProgress]>([])
    try database.backup(to: copy) { states.value.append($0) }
    #expect(states.value.count > 1)
    #expect(states.value.map(\.completedPageCount) == states.value.map(\.completedPageCount).sorted())
    #expect(states.value.last?.isCompleted == true)
    #expect(try files() == ["copy.sqlite"])
    #expect(try FileStatus(path: copy.path)?.permissions == FileStatus(path: database.location.path)?.permissions)

    let restored = try Database(.file(copy), access: .immutable, schema: .searched)
    #expect(try restored.read { try $0.count(Letter.matching("milk")) } == 400)
    #expect(try restored.integrityCheck() == [])
  }

  @Test func `a copy contains the moment at which it began, whatever others commit during the copy`() throws {
    let other = try Database(.file(directory.file("source.sqlite")), schema: .searched)
    let steps = Shared(0)
    try database.backup(to: copy) { _ in
      steps.value += 1
      try other.write { transaction throws in
        try transaction.put(Letter(title: "later"))
        try transaction.execute("UPDATE letter SET count = count + 1")
      }
    }
    #expect(steps.value < 40, "commits do not begin the copy anew")
    let restored = try Database(.file(copy), schema: .searched)
    #expect(try restored.read { try $0.value("SELECT count(*) || ' ' || sum(count) FROM letter") } == "400 0")
    #expect(try restored.integrityCheck() == [])
  }

  @Test func `an error or a cancelled task leaves no copy, and the old one stays`() async throws {
    let (database, copy) = (database, copy)
    try Data("old".utf8).write(to: copy)
    #expect(throws: Stop.self) { try database.backup(to: copy) { _ in throw Stop() } }
    #expect(try files() == ["copy.sqlite"])

    let begun = Gate()
    let proceed = DispatchSemaphore(value: 0)
    let task = Task {
      try await database.backup(to: copy) { _ in
        begun.open()
        proceed.wait()
      }
    }
    try await begun.pass()
    task.cancel()
    proceed.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try files() == ["copy.sqlite"])
    #expect(try Data(contentsOf: copy) == Data("old".utf8))
    try await database.backup(to: copy)
    let restored = try Database(.file(copy), schema: .searched)
    #expect(try await restored.read { try $0.count(Letter.self) } == 400)
  }

  @Test func `the database itself, a directory and a database in use are refused`() throws {
    #expect(refusal(directory.file("source.sqlite"))?.contains("itself") == true)
    let link = directory.file("link.sqlite")
    try FileManager.default.linkItem(at: directory.file("source.sqlite"), to: link)
    #expect(refusal(link)?.contains("itself") == true)
    let symbolic = directory.file("symbolic.sqlite")
    try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: directory.file("source.sqlite"))
    #expect(refusal(symbolic) != nil)
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(refusal(folder)?.contains("directory") == true)
    let used = try Database(.file(directory.file("used.sqlite")), schema: .first)
    #expect(refusal(directory.file("used.sqlite"))?.contains("in use") == true)
    #expect(try used.read { try $0.count(PersonV1.self) } == 0)
    #expect(refusal(directory.file("missing/copy.sqlite")) != nil)
    #expect(try files() == [])
  }

  @Test func `a backup inside a transaction is refused`() throws {
    for outer in ["read", "write"] {
      let error = databaseError {
        if outer == "read" {
          try database.read { _ in try database.backup(to: copy) }
        } else {
          try database.write { _ in try database.backup(to: copy) }
        }
      }
      #expect(error == .nestedAccess(path: database.location.path, inner: "backup", outer: outer))
    }
  }

  @Test func `a database in memory can be copied into a file`() throws {
    let memory = try Database(.memory, schema: .first)
    try memory.write { try $0.put(PersonV1(id: 1, name: "Ada")) }
    try memory.backup(to: copy)
    #expect(try Database(.file(copy), schema: .first).read { try $0.find(PersonV1.self, id: 1)?.name } == "Ada")
  }

  // MARK: Integrity

  @Test func `the check finds missing rows, a damaged index and a damaged file`() throws {
    #expect(try database.integrityCheck() == [])
    try database.write { transaction throws in
      try transaction.execute(
        script: "CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES letter)")
    }
    let foreign = try SQLiteConnection(path: database.location.path, access: .writing, busyTimeout: .seconds(9))
    try foreign.execute(
      "INSERT INTO pet VALUES (3, 9999); INSERT OR REPLACE INTO letter (id, title, count) VALUES (1, 'tea', 0)")
    foreign.close()
    let broken = BrokenReference(table: "pet", rowID: 3, missingIn: "letter", columns: ["owner"])
    let expected: [IntegrityFinding] = [.brokenReference(broken), .searchIndex("signals_search `letter`")]
    #expect(try database.integrityCheck() == expected)
    for finding in expected { #expect("\(finding)".contains("letter")) }

    try database.backup(to: copy)
    let file = try FileHandle(forUpdating: copy)
    try file.seek(toOffset: UInt64(4096 * 30))
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096 * 4))
    try file.close()
    let findings = try Database(.file(copy), access: .immutable).integrityCheck()
    #expect(findings.contains { if case .damage = $0 { true } else { false } })
  }
}
