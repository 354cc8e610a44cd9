import FileSignals
import Foundation
import Signals
@testable import Stores
import TestSupport
import Testing

@Suite("A shared database", .patient)
struct DatabaseShareTests {
  let fixture: ShareFixture

  init() throws {
    fixture = try ShareFixture()
  }

  @Test func `a change of another process says which one made it, and why`() async throws {
    let share = try fixture.share(fixture.database(), "app")
    let incoming = share.incoming.recorded()
    let peer = try await fixture.peer("helper")
    try await peer.send("because nightly insert-items 1 x")
    let change = try await incoming.first { _ in true }
    #expect(change.author == "helper" && change.provenance?.cause == "nightly")
    #expect(change.provenance?.processIdentifier == peer.identifier)
    share.close()
  }

  @Test
  func `a write reaches the other process with its author, and is not echoed`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let incoming = share.incoming.recorded()
    let peer = try await fixture.peer("helper")
    try await peer.send("follow-items")
    try await peer.send("insert-items 1 bread")
    let first = try await incoming.first { _ in true }
    #expect(first.author == "helper" && first["item"].inserted == [1])
    try await database.write { transaction in
      try transaction.execute("UPDATE item SET text = 'milk' WHERE id = 1")
      try transaction.execute("INSERT INTO item (text) VALUES ('eggs')")
    }
    try await peer.events.wait(for: "change \(first.sequence + 1) app 1 1 0")
    try await database.write { try $0.execute("DELETE FROM item") }
    try await peer.events.wait(for: "change \(first.sequence + 2) app 0 0 2")
    // Neither received its own change, although each has received a later one by now.
    try await peer.send("insert-items 1 butter")
    try await incoming.first { $0.sequence == first.sequence + 3 }
    #expect(incoming.elements.map(\.author) == ["helper", "helper"])
    #expect(!peer.events.elements.contains { $0.contains(" helper ") })
  }

  @Test
  func `missed changes arrive in order and once when a process returns`() async throws {
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    do {
      let share = try fixture.share(fixture.database(), "app")
      let incoming = share.incoming.recorded()
      try insert("before", into: other)
      try await incoming.first { _ in true }
      share.close()
    }
    for number in 0..<500 { try insert("\(number)", into: other) }
    let share = try fixture.share(fixture.database(), "app")
    let pending = try share.pendingCount()
    #expect(pending == 500)
    let incoming = share.incoming.recorded()
    try insert("after", into: other)
    let changes = try await incoming.wait { $0.count >= 501 }
    #expect(changes.map(\.sequence) == Array(2...502))
    #expect(try share.pendingCount() == 0)
    theirs.close()
  }

  @Test
  func `changes wait for a subscriber, and continue where the last one stopped`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    for number in 1...3 { try insert("\(number)", into: other) }
    do {
      let incoming = share.incoming.recorded()
      try await incoming.wait { $0.count == 3 }
    }
    try insert("4", into: other)
    let incoming = share.incoming.recorded()
    #expect(try await incoming.first { _ in true }.sequence == 4)
    theirs.close()
  }

  @Test
  func `two writing processes reach a third one without a gap`() async throws {
    let count = Scale.count(300, torture: 10_000)
    let share = try fixture.share(fixture.database(), "app")
    let incoming = share.incoming.recorded()
    let failures = share.failures.recorded()
    let (first, second) = (try await fixture.peer("one"), try await fixture.peer("two"))
    async let one = first.send("insert-items \(count) one")
    async let two = second.send("insert-items \(count) two")
    _ = try await (one, two)
    let changes = try await incoming.wait(timeout: .seconds(240)) { $0.count >= 2 * count }
    #expect(changes.map(\.sequence) == Array(1...Int64(2 * count)))
    #expect(failures.elements.isEmpty)
  }

  @Test
  func `live reads follow another process`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let counts = database.observe { transaction in
      try transaction.value("SELECT count(*) FROM item")
    }
    let seen = Recorder<SQLiteValue>()
    let subscription = counts.sink { seen.record($0) }
    let peer = try await fixture.peer("helper")
    try await peer.send("insert-items 10 bread")
    try await seen.first { $0 == 10 }
    subscription.cancel()
    share.close()
  }

  @Test
  func `only tables in scope are shared, and none if the scope is empty`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    try await other.write { try $0.execute("CREATE TABLE secret (id INTEGER PRIMARY KEY)") }
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper", scope: []))
    let incoming = share.incoming.recorded()
    let saves = theirs.outgoing.recorded()
    try insert("untold", into: other)
    try theirs.setTables(["item", "secret"])
    try await other.write { try $0.execute("INSERT INTO secret DEFAULT VALUES") }
    try await other.write { transaction in
      try transaction.execute("INSERT INTO secret DEFAULT VALUES")
      try transaction.execute("INSERT INTO item (text) VALUES ('told')")
    }
    let told = try await incoming.first { _ in true }
    #expect(told.tables == ["item": TableChanges(inserted: [2])])
    #expect(saves.elements.map { Set($0.tables.keys) } == [["secret"], ["item", "secret"]])
  }

  @Test
  func `a peer absent for longer than the history receives one change of everything`() async throws {
    let other = try fixture.database()
    let limits = ShareLimits(historyCount: 100)
    let theirs = try fixture.share(other, "helper", limits: limits)
    try fixture.leave("app", limits: limits)
    for number in 0..<600 { try insert("\(number)", into: other) }
    let share = try fixture.share(fixture.database(), "app", limits: limits)
    let incoming = share.incoming.recorded()
    let changes = try await incoming.wait { $0.last?.sequence == 600 }
    #expect(changes.first?["item"].isEverything == true && changes.first?.origin == .trimmedHistory)
    #expect(changes.dropFirst().allSatisfy { !$0["item"].isEverything })
    #expect(changes.dropFirst().map(\.sequence) == Array((changes[0].sequence + 1)...600))
    #expect(changes.count < 500)
    theirs.close()
  }

  @Test
  func `a peer that does not return holds no history, and is notified if it does`() async throws {
    let other = try fixture.database()
    let limits = ShareLimits(peerLifetime: .zero)
    try fixture.leave("gone", limits: limits)
    let theirs = try fixture.share(other, "helper", limits: ShareLimits())
    for number in 0..<300 { try insert("\(number)", into: other) }
    let all = try await other.read { try $0.value("SELECT count(*) FROM signals_history").int64Value ?? 0 }
    #expect(all == 300)
    theirs.close()
    let impatient = try fixture.share(other, "impatient", limits: limits)
    for number in 300..<600 { try insert("\(number)", into: other) }
    let left = try await other.read { try $0.value("SELECT count(*) FROM signals_history").int64Value ?? 0 }
    #expect(left < 300)
    let back = try fixture.share(fixture.database(), "gone", limits: limits)
    let changes = try await back.incoming.recorded().first { _ in true }
    #expect(changes["item"].isEverything && changes.origin == .trimmedHistory)
    impatient.close()
  }

  @Test
  func `a removed bell is recreated, and rings`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    let incoming = share.incoming.recorded()
    for round in 1...10 {
      try insert("\(round)", into: other)
      try await incoming.wait { $0.count == round }
      try FileManager.default.removeItem(atPath: fixture.file.path + "-share")
    }
    theirs.close()
  }

  @Test
  func `a share may be closed by its own subscriber and inside a transaction`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let theirs = try fixture.share(other, "helper")
    var share: DatabaseShare? = try fixture.share(database, "app")
    let counts = Recorder<Int>()
    let subscription = try #require(share).incoming.sink { [weak share] _ in
      guard let share else { return }
      do { counts.record(try share.pendingCount()) } catch { Issue.record(error) }
      share.close()
    }
    try insert("seen", into: other)
    #expect(try await counts.first { _ in true } == 1)
    share = nil
    subscription.cancel()
    var next: DatabaseShare? = try fixture.share(database, "app")
    try inTransaction(of: database) { next?.close() }
    next = try fixture.share(database, "app")
    // Its queue may be waiting for this very transaction.
    let file = fixture.file.path
    for ask in [DatabaseShare.pendingCount, DatabaseShare.discardPending] {
      let nested = DatabaseError.nestedAccess(path: file, inner: "read of the share", outer: "write")
      try inTransaction(of: database) { #expect(throws: nested) { _ = try next.map { try ask($0)() } } }
    }
    try inTransaction(of: database) { next = nil }
    try await database.write { try $0.execute("INSERT INTO item (text) VALUES ('free')") }
    theirs.close()
  }

  @Test
  func `pending changes can be discarded`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    for number in 1...7 { try insert("\(number)", into: other) }
    #expect(try share.pendingCount() == 7)
    #expect(try share.discardPending() == 7)
    #expect(try share.pendingCount() == 0)
    let incoming = share.incoming.recorded()
    try insert("8", into: other)
    #expect(try await incoming.first { _ in true }.sequence == 8)
    theirs.close()
  }

  @Test
  func `an undecodable change is reported, and counts as a change of everything`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let (incoming, failures) = (share.incoming.recorded(), share.failures.recorded())
    let other = try fixture.database()
    try await other.write {
      try $0.execute("INSERT INTO signals_history VALUES (1, 'future', 0, ?)", SQLiteValue.blob(Data("?".utf8)))
    }
    let theirs = try fixture.share(other, "helper")
    try insert("next", into: other)
    let changes = try await incoming.wait { $0.count == 2 }
    #expect(changes[0].author == "future" && changes[0]["item"].isEverything)
    #expect(changes[1]["item"].inserted == [1])
    let failure = try await failures.first { _ in true }
    #expect("\(failure)".contains("made by future"))
    theirs.close()
  }

  @Test
  func `a suspended database writes nothing and holds no lock, and catches up when it resumes`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    let incoming = share.incoming.recorded()
    try database.suspend()
    await #expect(throws: DatabaseError.suspended(path: fixture.file.path, operation: "write")) {
      try await database.write { try $0.execute("INSERT INTO item (text) VALUES ('refused')") }
    }
    try insert("allowed", into: other)
    #expect(try await database.read { try $0.value("SELECT count(*) FROM item") } == 1)
    try database.resume()
    try insert("again", into: database)
    try insert("after", into: other)
    try await incoming.first { $0.sequence == 3 }
    #expect(incoming.elements.map(\.sequence) == [1, 3])
    #expect(
      try await database.write { transaction in
        do throws(DatabaseError) {
          try database.suspend()
          return false
        } catch {
          return true
        }
      })
    theirs.close()
  }

  @Test
  func `a database that cannot be shared is rejected with a specific error`() throws {
    let memory = try Database(.memory)
    #expect(throws: DatabaseError.inMemory) { try fixture.share(memory, "app") }
    let database = try fixture.database()
    #expect(throws: DatabaseError.self) { try fixture.share(database, "") }
    let elsewhere = try ShareFixture()
    #expect(throws: DatabaseError.outsideContainer(path: fixture.file.path, container: elsewhere.directory.url.path)) {
      try DatabaseShare(
        database, container: elsewhere.container, author: "app", tables: ["item"])
    }
    let share = try fixture.share(database, "app")
    #expect(throws: DatabaseError.alreadyShared(path: fixture.file.path)) { try fixture.share(database, "other") }
    share.close()
    try fixture.share(database, "other").close()
  }
}
