import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// Faults of earlier shared databases that must not recur.
@Suite("Hazards of shared databases", .patient)
struct ShareHazardTests {
  private let fixture: ShareFixture

  init() throws {
    fixture = try ShareFixture()
  }

  /// Returns a share for which changes are pending, the share that made them, and its database.
  private func waiting(_ count: Int) throws -> (DatabaseShare, other: DatabaseShare, Database) {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    for number in 0..<count { try insert("\(number)", into: other) }
    return (share, theirs, other)
  }

  @Test func `every pending change is delivered, not only the last of each kind`() async throws {
    let (share, theirs, _) = try waiting(3)
    let changes = try await share.incoming.recorded().wait { $0.count == 3 }
    #expect(changes.map { $0["item"].inserted } == [[1], [2], [3]])
    theirs.close()
  }

  @Test func `changes from before the start are delivered at the start, without another write`() async throws {
    let other = try fixture.database()
    try fixture.leave("app")
    let theirs = try fixture.share(other, "helper")
    try insert("early", into: other)
    theirs.close()
    try other.close()
    let share = try fixture.share(fixture.database(), "app")
    #expect(try await share.incoming.recorded().first { _ in true }["item"].inserted == [1])
  }

  @Test func `changes that cannot be read are kept, and delivered once they can be`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let (incoming, failures) = (share.incoming.recorded(), share.failures.recorded())
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    try await other.write { try $0.execute("ALTER TABLE signals_history RENAME TO hidden") }
    let hidden = try Database(.file(fixture.file))
    try await hidden.write {
      let changes = ChangeCoding.encode(["item": TableChanges(inserted: [7])])
      try $0.execute("INSERT INTO hidden VALUES (1, 'helper', 0, ?)", SQLiteValue.blob(changes))
    }
    try Data([1]).write(to: URL(filePath: fixture.file.path + "-share/bell"))
    _ = try await failures.first { _ in true }
    #expect(incoming.elements.isEmpty)
    try await hidden.write { try $0.execute("ALTER TABLE hidden RENAME TO signals_history") }
    try insert("next", into: other)
    try await incoming.wait { $0.count == 2 }
    #expect(incoming.elements.map(\.sequence) == [1, 2])
    theirs.close()
  }

  @Test func `entries of other types, however many, hide no change`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let (incoming, failures) = (share.incoming.recorded(), share.failures.recorded())
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    try insert("first", into: other)
    try await incoming.wait { $0.count == 1 }
    let foreign = try Database(.file(fixture.file))
    try await foreign.write { transaction in
      for _ in 0..<300 {
        try transaction.execute("INSERT INTO signals_history (author, time, changes) VALUES (x'00', 0, 'text')")
      }
    }
    try insert("last", into: other)
    let last = try await incoming.first { $0.sequence == 302 }
    #expect(last["item"].inserted == [2])
    #expect(incoming.elements.map(\.sequence) == Array(1...302))
    #expect(incoming.elements.dropFirst().dropLast().allSatisfy { $0["item"].isEverything })
    try await failures.wait { $0.count == 300 }
    theirs.close()
  }

  @Test func `a write adds one row for all peers and no file, and fully delivered rows are removed`() async throws {
    let database = try fixture.database()
    let shares = try (0..<3).map { try fixture.share(fixture.database(), "peer \($0)") }
    let share = try fixture.share(database, "app")
    let own = share.incoming.recorded()
    try insert("first", into: database)
    // The name of a share that is closed is free again.
    let lasting = { [directory = fixture.directory.url.path] in
      try FileManager.default.subpathsOfDirectory(atPath: directory).filter { !$0.hasSuffix(".author") }.sorted()
    }
    let files = try lasting()
    let received = shares.map { $0.incoming.recorded() }
    for number in 1..<300 { try insert("\(number)", into: database) }
    let count = try await database.read { try $0.value("SELECT count(*) FROM signals_history").int64Value ?? 0 }
    #expect(count <= 300)
    for incoming in received { try await incoming.wait { $0.last?.sequence == 300 } }
    for peer in shares { peer.close() }
    // A receiver saves its position within a second, and the history is trimmed after every 256 changes.
    var first: Int64 = 0
    while first <= 256 {
      for number in 0..<256 { try insert("\(number)", into: database) }
      try await Task.sleep(for: .milliseconds(20))
      first = try await database.read { try $0.value("SELECT min(sequence) FROM signals_history").int64Value ?? 0 }
    }
    #expect(try lasting() == files)
    #expect(own.elements.isEmpty)
    share.close()
  }

  @Test func `a share may be released while it is being woken`() async throws {
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    let isOver = Shared(false)
    // Otherwise an error in the loop below would wait for the other thread forever.
    defer { isOver.value = true }
    async let ringing = onThread {
      var number = 0
      while !isOver.value {
        try insert("\(number)", into: other)
        number += 1
      }
      return number
    }
    for _ in 0..<50 {
      let share = try fixture.share(fixture.database(), "app")
      let incoming = share.incoming.recorded()
      withExtendedLifetime(incoming) {}
    }
    isOver.value = true
    let count = try await ringing
    #expect(try await other.read { try $0.value("SELECT count(*) FROM item").int64Value } == Int64(count))
    theirs.close()
  }

  @Test func `changes arrive in commit order, not by time or name`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "m")
    let incoming = share.incoming.recorded()
    let (first, last) = (try fixture.database(), try fixture.database())
    let (a, z) = (try fixture.share(first, "a"), try fixture.share(last, "z"))
    for round in 0..<50 { try insert("\(round)", into: round.isMultiple(of: 3) ? last : first) }
    let changes = try await incoming.wait { $0.count == 50 }
    #expect(changes.map { $0["item"].inserted } == (1...50).map { [.integer($0)] })
    #expect(changes.map(\.author) == (0..<50).map { $0.isMultiple(of: 3) ? "z" : "a" })
    a.close()
    z.close()
  }

  @Test func `delivery writes nothing for the user, and calls no subscriber inside a user's transaction`()
    async throws
  {
    struct Unfinished: Error {}
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let heard = Recorder<Bool>()
    let mine = Shared<UInt?>(nil)
    let subscription = share.incoming.sink { _ in heard.record(mine.value == ThreadIdentity.current.address) }
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    try insert("theirs", into: other)
    await #expect(throws: Unfinished.self) {
      try await database.write { transaction in
        mine.value = ThreadIdentity.current.address
        // Afterwards the thread may serve the share.
        defer { mine.value = nil }
        try transaction.execute("INSERT INTO item (text) VALUES ('half')")
        throw Unfinished()
      }
    }
    #expect(try await heard.first { _ in true } == false)
    #expect(try await database.read { try $0.rows("SELECT text FROM item").map { $0[0] } } == ["theirs"])
    subscription.cancel()
    theirs.close()
  }

  @Test func `a change names its rows, so that others need not be read`() async throws {
    let (share, theirs, other) = try waiting(2)
    try await other.write { transaction in
      try transaction.execute("UPDATE item SET text = 'b' WHERE id = 1")
      try transaction.execute("DELETE FROM item WHERE id = 2")
      try transaction.execute("INSERT INTO item VALUES (9, 'c')")
    }
    let last = try await share.incoming.recorded().first { $0.sequence == 3 }
    #expect(last.tables == ["item": TableChanges(inserted: [9], updated: [1], deleted: [2])])
    theirs.close()
  }

  @Test(arguments: ["../../x", "a/b", "'; DROP TABLE item; --", "ünï\u{0}cödé", String(repeating: "n", count: 4000)])
  func `an author's name may contain any characters`(author: String) async throws {
    let share = try fixture.share(fixture.database(), "app")
    let before = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).sorted()
    let other = try fixture.database()
    let theirs = try fixture.share(other, author)
    let incoming = share.incoming.recorded()
    try insert("1", into: other)
    #expect(try await incoming.first { _ in true }.author == author)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).sorted() == before)
    theirs.close()
  }

  @Test func `an obstacle to observing changes is an error with its path, and nothing is shared`() throws {
    let database = try fixture.database()
    try Data().write(to: URL(filePath: fixture.file.path + "-share"))
    let error = #expect(throws: DatabaseError.self) { try fixture.share(database, "app") }
    guard case .unobservable = error else { return recordUnexpected(error) }
    #expect("\(try #require(error))".contains(fixture.file.path + "-share"))
    try insert("still possible", into: database)
  }

  @Test func `a commit by a process killed before it could ring is delivered with the next ring`()
    async throws
  {
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let incoming = share.incoming.recorded()
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    // As if the process had been killed in between: the row exists, but the bell was not rung.
    let killed = try Database(.file(fixture.file))
    try await killed.write { transaction in
      try transaction.execute("INSERT INTO item VALUES (5, 'last words')")
      let changes = ChangeCoding.encode(["item": TableChanges(inserted: [5])])
      try transaction.execute(
        "INSERT INTO signals_history (author, time, changes) VALUES ('killed', 0, ?)", SQLiteValue.blob(changes))
    }
    try insert("next", into: other)
    let changes = try await incoming.wait { $0.count == 2 }
    #expect(changes.map(\.author) == ["killed", "helper"])
    theirs.close()
  }

  @Test func `a write reaches the other process faster than polling would`() async throws {
    let share = try fixture.share(fixture.database(), "app")
    let peer = try await fixture.peer("helper")
    let incoming = share.incoming.recorded()
    // Even a busy machine eventually lets five in a row through, while polling would be in time only by chance.
    var inTime = 0
    for round in 1...5000 where inTime < 5 {
      let start = ContinuousClock.now
      try await peer.send("insert-items 1 bread")
      try await incoming.wait { $0.count == round }
      inTime = .now - start < .milliseconds(50) ? inTime + 1 : 0
    }
    #expect(inTime == 5)
  }

  @Test func `a share can be closed inside a read for whose end its queue waits`() throws {
    let file = fixture.file
    let database = try Database(.file(file), maximumReaderCount: 1)
    try database.write { try $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)") }
    let share = try fixture.share(database, "app")
    try database.read { _ in
      // A subscription makes the queue read.
      let subscription = share.incoming.sink { _ in }
      share.close()
      subscription.cancel()
    }
    let next = try fixture.share(database, "next")
    #expect(try next.pendingCount() == 0)
    next.close()
  }

  @Test func `sequence numbers increase, for own changes and for others'`() async throws {
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    try await database.write { try $0.execute("CREATE TABLE untold (id INTEGER PRIMARY KEY)") }
    let collected = Collected(database)
    let incoming = share.incoming.recorded()
    for round in 1...3 {
      for _ in 0..<3 { try await database.write { try $0.execute("INSERT INTO untold DEFAULT VALUES") } }
      try insert("\(round)", into: round == 2 ? database : other)
      try await incoming.wait { $0.count == (round + 1) / 2 }
    }
    #expect(incoming.elements.map(\.sequence) == [1, 3])
    for isOwn in [true, false] {
      let numbers = collected.sets.filter { ($0.origin == .here) == isOwn }.map(\.sequence)
      #expect(numbers.count == (isOwn ? 10 : 2))
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }
    share.close()
    theirs.close()
  }

  @Test func `unread changes wait in the history, up to its limit`() async throws {
    let limits = ShareLimits(historyCount: 300)
    try fixture.leave("app", limits: limits)
    let share = try fixture.share(fixture.database(), "app", limits: limits)
    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper", limits: limits)
    let heard = theirs.incoming.recorded()
    for number in 0..<256 { try insert("\(number)", into: other) }
    #expect(try share.pendingCount() == 256)
    for number in 256..<1100 {
      try insert("\(number)", into: other)
      let count = try await other.read { try $0.value("SELECT count(*) FROM signals_history").int64Value ?? 0 }
      #expect((min(number, 270)...300).contains(Int(count)))
    }
    let changes = try await share.incoming.recorded().wait { $0.last?.sequence == 1100 }
    #expect(changes.first?.origin == .trimmedHistory && changes.first?["item"].isEverything == true)
    #expect(changes.dropFirst().map(\.sequence) == Array((changes[0].sequence + 1)...1100))
    // A fast writer may skip its own trimmed changes as if they were others', but receives no echo.
    #expect(heard.elements.allSatisfy { $0.origin == .trimmedHistory })
    theirs.close()
  }
}
