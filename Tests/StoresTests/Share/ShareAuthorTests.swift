import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Authors of a shared database", .timeLimit(.minutes(5)))
struct ShareAuthorTests {
  private let fixture: ShareFixture

  init() throws {
    fixture = try ShareFixture()
  }

  private func isTaken(_ author: String, _ share: () throws -> DatabaseShare) -> Bool {
    do {
      try share().close()
      return false
    } catch DatabaseError.authorInUse(author, fixture.file.path, _, let holder) {
      return holder != nil
    } catch {
      return false
    }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.file.path + "-share").sorted()
  }

  private func rows(_ database: Database) throws -> [SQLiteValue] {
    try database.read { try $0.rows("SELECT author FROM signals_peer ORDER BY author").map { $0[0] } }
  }

  @Test func `two objects of one process cannot share under one name`() throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let share = try fixture.share(database, "app")
    #expect(isTaken("app") { try fixture.share(other, "app") })
    // The rejected object can share under another name, and under this one once it is free.
    try fixture.share(other, "App").close()
    share.close()
    let next = try fixture.share(other, "app")
    #expect(isTaken("app") { try fixture.share(database, "app") })
    next.close()
  }

  @Test func `a released share frees its name at once`() throws {
    var share: DatabaseShare? = try fixture.share(fixture.database(), "app")
    withExtendedLifetime(share) {}
    share = nil
    try fixture.share(fixture.database(), "app").close()
  }

  @Test func `another process's name is rejected, and free once that process is killed`() async throws {
    let database = try fixture.database()
    let peer = try await fixture.peer("app")
    #expect(isTaken("app") { try fixture.share(database, "app") })
    try await peer.kill()
    let share = try fixture.share(database, "app")
    await #expect(throws: PeerProcess.Failure.self) { try await fixture.peer("app") }
    share.close()
  }

  @Test func `a suspended share gives up its name, and fails to resume while the name is taken`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let share = try fixture.share(database, "app")
    let incoming = share.incoming.recorded()
    try database.suspend()
    let usurper = try fixture.share(other, "app")
    let refusal = try #require(databaseError { try database.resume() })
    guard case .authorInUse("app", fixture.file.path, .zero, _) = refusal else { return recordUnexpected(refusal) }
    #expect("\(refusal)".contains("\"app\""))
    let suspended = DatabaseError.suspended(path: fixture.file.path, operation: "write")
    #expect(databaseError { try insert("refused", into: database) } == suspended)
    usurper.close()
    try database.resume()
    #expect(isTaken("app") { try fixture.share(other, "app") })
    let theirs = try fixture.share(other, "helper")
    try insert("bread", into: other)
    #expect(try await incoming.first { _ in true }.author == "helper")
    theirs.close()
    share.close()
  }

  @Test func `a share with no remembered position receives changes, and leaves nothing behind`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let share = try fixture.share(database, "app")
    let before = try names()
    let tool = try DatabaseShare(
      other, container: fixture.container, author: "import 1", tables: ["item"], remembersPosition: false)
    let incoming = tool.incoming.recorded()
    try insert("bread", into: database)
    #expect(try await incoming.first { _ in true }.author == "app")
    #expect(isTaken("import 1") { try fixture.share(fixture.database(), "import 1") })
    tool.close()
    #expect(try rows(database).isEmpty)
    #expect(try names() == before)
    share.close()
  }

  @Test func `a share without subscribers keeps no history, and live queries still follow`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    let counts = database.observe { transaction in
      try transaction.value("SELECT count(*) FROM item")
    }.recorded()
    for number in 0..<3000 { try insert("\(number)", into: other) }
    try await counts.wait(for: 3000)
    #expect(try share.pendingCount() <= 512)
    #expect(try await other.read { try $0.value("SELECT count(*) FROM signals_history").int64Value ?? 0 } <= 512)
    #expect(try rows(other).isEmpty)
    theirs.close()
    share.close()
  }

  @Test func `changes are kept for an author from its first subscription on`() async throws {
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    try fixture.leave("app")
    #expect(try rows(other) == ["app"])
    try insert("waits", into: other)
    let share = try fixture.share(fixture.database(), "app")
    #expect(try await share.incoming.recorded().first { _ in true }["item"].inserted == [1])
    theirs.close()
    share.close()
  }

  @Test func `changes are kept for a process that is killed when its first subscription has returned`() throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocking = database.changes.sink { _ in
      arrived.signal()
      gate.wait()
    }
    // From here on, the share's queue does nothing.
    try insert("blocks", into: other)
    arrived.wait()
    let subscription = share.incoming.sink { _ in }
    #expect(try rows(other) == ["app"])
    blocking.cancel()
    gate.signal()
    subscription.cancel()
    theirs.close()
    share.close()
  }

  @Test func `a first subscription inside a transaction does not wait for its end`() throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let subscription = try database.write { _ in share.incoming.sink { _ in } }
    _ = try share.pendingCount()  // This waits for the queue.
    #expect(try rows(database) == ["app"])
    subscription.cancel()
    share.close()
  }

  @Test func `a misspelled table is reported with the existing ones, and case is ignored`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let missing = DatabaseError.noSuchTable("itme", path: fixture.file.path, known: ["item"])
    #expect(throws: missing) { try fixture.share(database, "app", scope: ["itme"]) }
    let share = try fixture.share(database, "app", scope: ["ITEM"])
    #expect(share.tables == ["item"])
    #expect(databaseError { try share.setTables(["item", "itme"]) } == missing)
    #expect(share.tables == ["item"])
    let theirs = try fixture.share(other, "helper")
    let incoming = share.incoming.recorded()
    try insert("bread", into: other)
    #expect(try await incoming.first { _ in true }["item"].inserted == [1])
    theirs.close()
    share.close()
  }

  @Test func `a share without tables shares all of them, including later ones`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let share = try DatabaseShare(database, container: fixture.container, author: "app")
    let theirs = try DatabaseShare(other, container: fixture.container, author: "helper")
    let incoming = share.incoming.recorded()
    try await other.write {
      try $0.execute(script: "CREATE TABLE later (id INTEGER PRIMARY KEY); INSERT INTO later VALUES (7)")
    }
    #expect(try await incoming.first { _ in true }.tables == ["later": TableChanges(inserted: [7])])
    #expect(share.tables == nil)
    theirs.close()
    share.close()
  }

  @Test func `a released share continues while a live query needs it`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    var share: DatabaseShare? = try fixture.share(database, "app")
    let counts = database.observe { transaction in
      try transaction.value("SELECT count(*) FROM item")
    }
    let subscription = counts.sink { _ in }
    let told = database.changes.recorded()
    withExtendedLifetime(share) {}
    share = nil
    let theirs = try fixture.share(other, "helper")
    let received = Recorder<String?>()
    let incoming = theirs.incoming.sink { received.record($0.author) }
    try insert("bread", into: other)
    _ = try await told.first { $0.origin == .peer("helper") && $0["item"].inserted == [1] }
    try insert("milk", into: database)
    try await received.wait(for: "app")
    #expect(throws: DatabaseError.alreadyShared(path: fixture.file.path)) { try fixture.share(database, "other") }
    subscription.cancel()
    // Nothing needs the released share any more.
    try fixture.share(database, "app").close()
    incoming.cancel()
    theirs.close()
  }

  @Test func `the subscriptions to incoming changes are listed`() async throws {
    let share = try fixture.share(fixture.database(), "app")
    let subscription = share.incoming.named("sync").sink { _ in }
    #expect(await share.engine.feed.incoming.subscriptions().map(\.description) == ["\"sync\" → sink"])
    #expect(share.engine.feed.incoming.subscriberCount == 1)
    subscription.cancel()
    #expect(await share.engine.feed.incoming.subscriptions().isEmpty)
    share.close()
  }
}
