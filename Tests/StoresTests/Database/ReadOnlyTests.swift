import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Read-only databases")
struct ReadOnlyTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("a.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `a read-only database reads what others write, and rejects writes`() throws {
    let other = try liveDatabase(.file(url))
    let database = try Database(.file(url), access: .readOnly, schema: Schema(version: 1, models: [Errand.self]))
    #expect(database.schemaOutcome == .current)
    try other.write { try $0.put(Errand(id: 1, title: "bread")) }
    #expect(try database.read { try $0.all(Errand.self) } == [Errand(id: 1, title: "bread")])
    let refusal = DatabaseError.openedReadOnly(path: url.path)
    #expect(databaseError { try database.write { try $0.put(Errand(id: 2)) } } == refusal)
    let errand = try database.live(Errand.self, id: 1)
    #expect(errand.value?.title == "bread")
    #expect(databaseError { try errand.update { $0.title = "milk" } } == refusal)
    #expect(databaseError { try database.read { try $0.rows("DELETE FROM errand") } } != nil)
    #expect("\(refusal)".contains("readWrite"))
    try database.close()
    #expect(databaseError { try database.write { _ in } } == .closed(path: url.path))
  }

  @Test func `a read-only database is neither created nor migrated`() throws {
    let missing = databaseError { _ = try Database(.file(url), access: .readOnly) }
    guard case .cannotOpen(let failure) = missing else { return recordUnexpected(missing) }
    #expect(failure.systemError == "No such file or directory")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)

    try Database(.file(url), schema: .second).close()
    let content = try Data(contentsOf: url)
    for (schema, reason) in [
      (Schema.third, SchemaError.notReady(found: 2, expected: 3)), (Schema.first, .tooNew(found: 2, supported: 1)),
    ] {
      let error = databaseError { _ = try Database(.file(url), access: .readOnly, schema: schema) }
      #expect(error == .schema(reason, path: url.path))
    }
    #expect(try Data(contentsOf: url) == content)
  }

  @Test func `a file that is not a database, or is another program's, is rejected`() throws {
    try Data(repeating: 65, count: 5000).write(to: url)
    let error = databaseError { _ = try Database(.file(url), access: .readOnly) }
    guard case .notADatabase = error else { return recordUnexpected(error) }
    let place = databaseError { _ = try Database(.file(self.directory.url), access: .readOnly) }
    guard case .notARegularFile = place else { return recordUnexpected(place) }
    let other = self.directory.file("b.sqlite")
    try Database(.file(other), applicationID: 7).close()
    #expect(
      databaseError { _ = try Database(.file(other), access: .readOnly, applicationID: 8) }
        == .foreignDatabase(path: other.path, applicationID: 7, expected: 8))
  }

  @Test func `an immutable database needs no log, whatever its name`() throws {
    let url = directory.file("100% of it? #1; ümläut.sqlite")
    let other = try liveDatabase(.file(url))
    try other.write { try $0.put(Errand(id: 1, title: "bread")) }
    try other.close()
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
    let database = try Database(.file(url), access: .immutable)
    #expect(try database.read { try $0.value("SELECT title FROM errand") } == "bread")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [url.lastPathComponent])
  }

  @Test func `closing the last connection leaves an empty log`() throws {
    let database = try liveDatabase(.file(url))
    try database.write { try $0.put(Errand(id: 1, title: "bread")) }
    _ = try database.read { try $0.all(Errand.self) }
    try database.close()
    let size = try FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int
    #expect(size == 0)
    #expect(FileManager.default.fileExists(atPath: url.path + "-shm"))
  }

  @Test func `in another user's directory, a read-only database needs the log that others left`() throws {
    do {
      let database = try liveDatabase(.file(url))
      try database.write { try $0.put(Errand(id: 1, title: "bread")) }
      try database.close()
    }
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: url.path)
    try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.url.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.url.path) }
    let error = try asOrdinaryUser { databaseError { _ = try Database(.file(url), access: .readOnly) } }
    guard case .logMissing = error else { return recordUnexpected(error) }
    let title = try asOrdinaryUser {
      try Database(.file(url), access: .immutable).read { try $0.value("SELECT title FROM errand") }
    }
    #expect(title == "bread")
  }

  /// Runs a closure without root's right to write everywhere, on this thread only.
  private func asOrdinaryUser<Result>(_ body: () throws -> Result) throws -> Result {
    #if os(Linux)
      typealias SetUser = @convention(c) (uid_t) -> CInt
      guard geteuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return try body() }
      let setUser = unsafeBitCast(symbol, to: SetUser.self)
      _ = setUser(65_534)
      defer { _ = setUser(0) }
    #endif
    return try body()
  }

  #if os(Linux)
    @Test(.asRoot)
    func `on a read-only disk, a read-only database needs the log that others left`() async throws {
      try await withDisk(#"mount -t tmpfs -o size=2m tmpfs "$1""#) { disk in
        let url = disk.appending(path: "a.sqlite")
        do {
          let database = try liveDatabase(.file(url))
          try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
          try database.close()
        }
        try await remount(disk, readOnly: true)
        do {
          let database = try Database(.file(url), access: .readOnly)
          #expect(try await database.read { try $0.value("SELECT title FROM errand") } == "bread")
          try database.close()
        }
        try await remount(disk, readOnly: false)
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
        try await remount(disk, readOnly: true)
        let error = databaseError { _ = try Database(.file(url), access: .readOnly) }
        guard case .logMissing(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.path == url.path && "\(DatabaseError.logMissing(failure))".contains("immutable"))
        let database = try Database(.file(url), access: .immutable)
        #expect(try await database.read { try $0.value("SELECT title FROM errand") } == "bread")
        try database.close()
      }
    }
  #endif
}
