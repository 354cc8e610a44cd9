import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("A database in a directory that is switched", .patient)
struct DatabaseScopeTests {
  private let fixture: ScopeFixture

  init() throws {
    fixture = try ScopeFixture()
  }

  @Test func `a database shows the new contents in rows, queries and changes`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open()
    let collected = Collected(database)
    let errand = try database.live(Errand.self, id: 1)
    let titles = Recorder<[String]>()
    let subscription = database.query(Query<Errand>()).map { $0.map(\.title) }.sink { titles.record($0) }
    #expect(errand.value?.title == "old")

    try fixture.switchContents(away: "a", in: "b")
    #expect(errand.value?.title == "new")
    #expect(titles.elements == [["old"], ["new"]])
    #expect(collected.take().map(\.origin) == [.switch])
    try errand.update { $0.title = "newer" }
    let set = try #require(collected.take().first)
    #expect(set.origin == .here && set["errand"].updated == [1])

    try fixture.switchContents(away: "b", in: "a")
    #expect(errand.value?.title == "old")
    try await titles.wait(for: ["old"])
    #expect(try fixture.title(in: "b") == "newer")
    #expect(database.status.value == .open && database.schemaOutcome == .current)
    subscription.cancel()
  }

  @Test func `a database retains the owner of its scope`() throws {
    final class Owner: Sendable {}
    try fixture.fill("live", title: "old")
    var owner: Owner? = Owner()
    let isThere = { [weak owner] in owner != nil }
    var database: Database? = try Database(
      fixture.location, scope: Scope(fixture.scope, keeping: try #require(owner)))
    owner = nil
    #expect(isThere())
    withExtendedLifetime(database) {}
    database = nil
    #expect(!isThere())
  }

  @Test func `a switched database keeps no file of the old contents open`() throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open()
    try database.write { try $0.put(Errand(id: 2)) }
    _ = try database.read { try $0.all(Errand.self) }
    try fixture.scope.switchContents {
      #expect(openFiles(in: fixture.root.path) == [])
      try fixture.rename(away: "a", in: "b")
    }
    #expect(openFiles(in: fixture.directory.url.appending(path: "a").path) == [])
    #expect(try database.read { try $0.value("SELECT title FROM errand WHERE id = 1") } == "new")
  }

  @Test func `a transaction finishes where it began, and one that begins during a switch is not lost`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open()
    let (began, ended) = (Shared(false), DispatchSemaphore(value: 0))
    async let writing: Void = onThread {
      try database.write { transaction in
        began.value = true
        ended.wait()
        try transaction.put(Errand(id: 2, title: "in the old one"))
      }
    }
    while !began.value { try await Task.sleep(for: .milliseconds(1)) }
    async let switching: Void = onThread { [fixture] in try fixture.switchContents(away: "a", in: "b") }
    async let next: Void = onThread {
      // At this moment it waits for the switch or the first write, or runs first. It is never lost.
      try database.write { try $0.put(Errand(id: 3, title: "somewhere")) }
    }
    ended.signal()
    _ = try await (writing, switching, next)
    let old = try Database(.file(fixture.url(in: "a")))
    #expect(try await old.read { try $0.value("SELECT count(*) FROM errand WHERE id = 2") } == 1)
    let there = try await database.read { try $0.value("SELECT count(*) FROM errand WHERE id = 3") }.int64Value ?? 0
    let gone = try await old.read { try $0.value("SELECT count(*) FROM errand WHERE id = 3") }.int64Value ?? 0
    #expect(there + gone == 1)
  }

  @Test func `a switch does not wait for a connection that reads an older state`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open()
    // A connection of its own, as another process has one.
    let reader = try SQLiteConnection(path: fixture.url.path, access: .reading, busyTimeout: .zero)
    try reader.begin()
    #expect(try reader.value("SELECT title FROM errand") == "old")
    try await database.write { try $0.put(Errand(id: 1, title: "older")) }
    let switched = Recorder<Bool>()
    async let switching: Void = onThread { [fixture] in
      try fixture.switchContents(away: "a", in: "b")
      switched.record(true)
    }
    try await switched.wait(for: true)
    try await switching
    #expect(try reader.value("SELECT title FROM errand") == "old")
    reader.endReading()
    reader.close()
    #expect(try fixture.title(in: "a") == "older")
  }

  @Test func `repeated switches under load neither lose nor tear a write`() async throws {
    try fixture.fill("live", title: "a")
    try fixture.fill("b", title: "b")
    let database = try fixture.open()
    let rounds = Scale.count(30, torture: 1000)
    let isOver = Shared(false)
    async let written: Int = onThread {
      var count = 0
      while !isOver.value {
        try database.write { try $0.execute("INSERT INTO errand (title, isDone) VALUES ('more', 0)") }
        _ = try database.read { try $0.count(Errand.self) }
        count += 1
      }
      return count
    }
    try await onThread { [fixture] in
      for round in 0..<rounds {
        let (old, new) = round.isMultiple(of: 2) ? ("a", "b") : ("b", "a")
        try fixture.switchContents(away: old, in: new)
      }
      isOver.value = true
    }
    let count = try await written
    try database.close()
    var found = 0
    for name in ["live", "b"] {
      let database = try Database(.file(fixture.url(in: name)))
      #expect(try await database.read { try $0.value("PRAGMA integrity_check") } == "ok")
      found += Int(try await database.read { try $0.value("SELECT count(*) FROM errand") }.int64Value ?? 0) - 1
    }
    #expect(found == count)
  }

  @Test func `a failed switch changes nothing`() throws {
    struct Failed: Error {}
    try fixture.fill("live", title: "old")
    let database = try fixture.open()
    let collected = Collected(database)
    #expect(throws: Failed.self) { try fixture.scope.switchContents { throw Failed() } }
    #expect(collected.sets.isEmpty)
    #expect(try database.read { try $0.value("SELECT title FROM errand") } == "old")
    try database.write { try $0.put(Errand(id: 2)) }
    #expect(collected.sets.count == 1)
  }

  @Test func `a switch inside a transaction is rejected, and so is a transaction inside a switch`() throws {
    try fixture.fill("live", title: "old")
    let database = try fixture.open()
    let path = fixture.url.path
    try database.write { _ in
      let error = databaseError { try fixture.scope.switchContents {} }
      #expect(error == .nestedAccess(path: path, inner: "switch", outer: "write"))
    }
    try database.read { _ in
      let error = databaseError { try fixture.scope.switchContents {} }
      #expect(error == .nestedAccess(path: path, inner: "switch", outer: "read"))
    }
    let refusal = DatabaseError.nestedAccess(path: path, inner: "read or write", outer: "switch")
    try fixture.scope.switchContents {
      #expect(databaseError { try database.write { _ in } } == refusal)
      #expect(databaseError { try database.read { _ in } } == refusal)
      #expect(databaseError { try database.close() } == .nestedAccess(path: path, inner: "close", outer: "switch"))
    }
    try database.write { _ in }
  }

  @Test func `a database that closes on a switch reports it to all users`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open(.closes)
    let errand = try database.live(Errand.self, id: 1)
    let failures = errand.failures.recorded()
    let query = database.query(Query<Errand>())
    let troubles = query.failures.recorded()
    let subscription = query.sink { _ in }
    try fixture.switchContents(away: "a", in: "b")
    let reason = DatabaseError.switched(path: fixture.url.path)
    #expect(database.status.value == .closed(reason))
    #expect(databaseError { try database.read { _ in } } == reason)
    #expect(databaseError { try database.write { _ in } } == reason)
    #expect(try await troubles.first { _ in true } == reason)
    #expect(failures.elements == [reason] && errand.value?.title == "old")
    // It stays closed.
    try fixture.switchContents(away: "b", in: "a")
    #expect(database.status.value == .closed(reason))
    #expect(databaseError { try database.read { _ in } } == reason)
    subscription.cancel()
  }

  @Test func `rows of the old contents are not shown while a transaction delays the switch`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open()
    let errand = try database.live(Errand.self, id: 1)
    let query = database.query(Query<Errand>())
    let titles = query.map { $0.map(\.title) }.recorded()
    try await onThread { [fixture] in
      try database.write { _ in
        try fixture.rename(away: "a", in: "b")
        fixture.scope.followSwitch()
        #expect(errand.value == nil && errand.status.value == .connecting)
        #expect(titles.elements == [["old"], []])
        // A new live object waits for the new rows.
        #expect(try database.live(Errand.self, id: 2).value == nil)
      }
    }
    try await titles.wait(for: ["new"])
    try await errand.status.firstValue { $0 == .current }
    #expect(errand.value?.title == "new")
  }

  @Test func `a missing file is created after a switch`() throws {
    try fixture.fill("live", title: "old")
    try fixture.make("b")
    let database = try fixture.open()
    let errand = try database.live(Errand.self, id: 1)
    try fixture.switchContents(away: "a", in: "b")
    #expect(errand.value == nil && database.schemaOutcome == .created)
    try database.write { try $0.put(Errand(id: 1, title: "first")) }
    #expect(errand.value?.title == "first")
  }

  @Test func `unusable new contents are reported, and the next switch recovers`() throws {
    try fixture.fill("live", title: "old")
    try fixture.make("b")
    let content = Data(repeating: 65, count: 5000)
    try content.write(to: fixture.url(in: "b"))
    let database = try fixture.open()
    let errand = try database.live(Errand.self, id: 1)
    try fixture.switchContents(away: "a", in: "b")
    guard case .closed(.notADatabase(let failure)) = database.status.value else {
      Issue.record("it is \(database.status.value)")
      return
    }
    #expect(databaseError { try database.read { _ in } } == .notADatabase(failure))
    #expect(databaseError { try database.write { _ in } } == .notADatabase(failure))
    #expect(try Data(contentsOf: fixture.url) == content)
    try fixture.switchContents(away: "b", in: "a")
    #expect(database.status.value == .open && errand.value?.title == "old")
    try errand.update { $0.title = "older" }
    #expect(errand.value?.title == "older")
  }

  @Test func `a file outside the scope is rejected`() throws {
    let url = fixture.directory.file("elsewhere.sqlite")
    let refusal = databaseError { _ = try Database(.file(url), scope: fixture.scope) }
    #expect(refusal == .outsideScope(path: url.path, root: fixture.root.path))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `a read-only database follows a switch, too`() throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try Database(fixture.location, access: .readOnly, scope: fixture.scope)
    let errand = try database.live(Errand.self, id: 1)
    try fixture.switchContents(away: "a", in: "b")
    #expect(errand.value?.title == "new")
    #expect(databaseError { try database.write { _ in } } == .openedReadOnly(path: fixture.url.path))
  }

  @Test func `a switch by another process loses no commit of either contents`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.make("b")
    // The killed process's commits are only in its log.
    let peer = try PeerProcess()
    try await peer.send("store-open \(fixture.url(in: "b").path)")
    try await peer.send("store-count 3")
    try await peer.kill()
    let log = try Data(contentsOf: URL(filePath: fixture.url(in: "b").path + "-wal"))
    #expect(!log.isEmpty)

    let database = try fixture.open(schema: nil)
    try await database.write { try $0.put(Errand(id: 1, title: "in the log of the old one")) }
    try fixture.rename(away: "a", in: "b")
    // The connection still refers to the file that was moved away. Closing it by its path would take the other file's
    // log.
    try await database.write { try $0.put(Errand(id: 2, title: "late")) }
    #expect(try Data(contentsOf: URL(filePath: fixture.url.path + "-wal")) == log)
    fixture.scope.followSwitch()
    #expect(try await database.read { try $0.value("SELECT n FROM counter") } == 3)
    let old = try Database(.file(fixture.url(in: "a")))
    let titles = try await old.read { try $0.rows("SELECT title FROM errand ORDER BY id").map { $0[0] } }
    #expect(titles == ["in the log of the old one", "late"])
  }

  @Test func `without a scope, a switch does not mix up the logs either`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.make("b")
    let peer = try PeerProcess()
    try await peer.send("store-open \(fixture.url(in: "b").path)")
    try await peer.send("store-count 3")
    try await peer.kill()
    let database = try Database(fixture.location)
    try await database.write { try $0.put(Errand(id: 1, title: "newer")) }
    try fixture.rename(away: "a", in: "b")
    try database.close()
    let other = try Database(fixture.location)
    #expect(try await other.read { try $0.value("SELECT n FROM counter") } == 3)
    #expect(try fixture.title(in: "a") == "newer")
  }

  @Test func `a closed database stays closed after switches, with no file open`() async throws {
    let database = try fixture.open()
    try await database.write { try $0.put(Errand(id: 1)) }
    let query = database.query(Query<Errand>())
    let troubles = query.failures.recorded()
    let subscription = query.sink { _ in }
    try database.close()
    let closed = DatabaseError.closed(path: fixture.url.path)
    #expect(database.status.value == .closed(closed))
    #expect(openFiles(in: fixture.root.path) == [])
    #expect(try await troubles.first { _ in true } == closed)
    try fixture.scope.switchContents {}
    #expect(database.status.value == .closed(closed))
    #expect(databaseError { try database.write { _ in } } == closed)
    subscription.cancel()
  }
}

/// Returns the files of a directory that this process has open, or none if the system does not report them.
private func openFiles(in directory: String) -> [String] {
  let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  return descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    .filter { $0.hasPrefix(directory + "/") }.sorted()
}
