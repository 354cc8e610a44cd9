import Dispatch
import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

@Suite("Writes by other programs", .patient)
struct ForeignWriterTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("list.sqlite") }
  private static let hasTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Opens a connection that announces no changes, like another program's.
  private func connection() throws -> SQLiteConnection {
    try DatabaseFile(
      location: .file(url), schema: nil, durability: .process, busyTimeout: .seconds(60)
    ).connect()
  }

  @Test(.enabled(if: hasTool, "there is no sqlite3"))
  func `live queries and rows follow writes by sqlite3`() async throws {
    let database = try liveDatabase(.file(url))
    let titles = Recorder<[String]>()
    let subscription = database.query(Errand.ordered { $0.id }).sink {
      titles.record($0.map(\.title))
    }
    let errand = try database.live(Errand.self, id: 2)
    let values = Recorder<String?>()
    let other = errand.sink { values.record($0?.title) }
    let command = #"/usr/bin/sqlite3 "$1" "$2""#
    try await shell(command, url.path, "INSERT INTO errand VALUES (1, 'bread', 0)")
    try await titles.wait { $0.last == ["bread"] }
    try await shell(command, url.path, "INSERT INTO errand VALUES (2, 'milk', 0)")
    try await titles.wait { $0.last == ["bread", "milk"] }
    try await values.wait { $0.last == "milk" }
    try await shell(command, url.path, "DELETE FROM errand")
    try await titles.wait { $0.last == [] && $0.count > 1 }
    try await values.wait { $0.last == .some(nil) && $0.count > 1 }
    subscription.cancel()
    other.cancel()
  }

  @Test func `foreign writes are followed without a share, even by a read-only database`() async throws {
    let peer = try PeerProcess()
    try await peer.send("store-open \(url.path)")
    for access in [DatabaseAccess.readWrite, .readOnly] {
      let database = try Database(.file(url), access: access)
      let numbers = Recorder<Int64?>()
      let query = database.observe { transaction in
        try transaction.value("SELECT n FROM counter").int64Value
      }
      let subscription = query.sink { numbers.record($0) }
      let start = try #require(numbers.elements.first ?? nil)
      for round in 1...3 {
        try await peer.send("store-count 1")
        try await numbers.wait { $0.last == start + Int64(round) }
      }
      subscription.cancel()
      try database.close()
    }
  }

  @Test func `a read-only database follows foreign writes even if its readers were busy at the start`() async throws {
    try liveDatabase(.file(url)).close()
    let writer = try connection()
    let database = try Database(.file(url), access: .readOnly, maximumReaderCount: 1)
    let changes = Recorder<ChangeSet>()
    let subscription = MutableProperty<SignalSubscription?>(nil)
    let hasBegun = try observeDuringRead(of: database) {
      subscription.value = database.changes.sink { changes.record($0) }
    }
    #expect(hasBegun)
    try writer.execute("INSERT INTO errand VALUES (1, 'bread', 0)")
    try await changes.wait { $0.last?.origin == .foreign }
    subscription.value?.cancel()
    try database.close()
  }

  /// Runs a closure on another thread while this one reads.
  ///
  /// - Returns: `true` if it ended before the read.
  private func observeDuringRead(of database: Database, _ body: @escaping @Sendable () -> Void) throws -> Bool {
    try database.read { _ in
      let end = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        body()
        end.signal()
      }
      return end.wait(timeout: .now() + 10) == .success
    }
  }

  @Test func `a foreign write is one change without keys, and own writes are not mistaken for one`() async throws {
    let database = try liveDatabase(.file(url))
    let changes = database.changes.recorded()
    for id in 1...50 { try await database.write { try $0.put(Errand(id: id)) } }
    let other = try connection()
    try other.execute("UPDATE errand SET title = 'other'")
    try await changes.wait { $0.count == 51 }
    #expect(changes.elements.prefix(50).allSatisfy { $0.origin == .here })
    #expect("\(changes.elements[50].origin)".contains("foreign"))
    #expect(changes.elements[50]["errand"].isEverything)
    #expect(changes.elements[50].sequence > changes.elements[49].sequence)
    try await database.write { try $0.put(Errand(id: 51)) }
    try await changes.wait { $0.count == 52 }
    #expect(changes.elements[51].origin == .here)
  }

  @Test func `foreign writes to a shared database are followed, and peers' changes are still delivered`() async throws {
    let fixture = try ShareFixture()
    let (database, helper) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(helper, "helper"))
    let counts = Recorder<Int64?>()
    let query = database.observe { transaction in
      try transaction.value("SELECT count(*) FROM item").int64Value
    }
    let subscription = query.sink { counts.record($0) }
    let incoming = share.incoming.recorded()
    let foreign = try fixture.database()
    for round in 1...5 {
      try insert("\(round)", into: helper)
      try insert("\(round)", into: foreign)
      try await counts.wait { $0.last == Int64(2 * round) }
    }
    try await incoming.wait { $0.count == 5 }
    #expect(incoming.elements.allSatisfy { $0.author == "helper" && !$0["item"].isEverything })
    subscription.cancel()
    theirs.close()
    share.close()
  }

  @Test(arguments: [false, true])
  func `a removed or replaced file is reported at the next write`(isReplaced: Bool) throws {
    let database = try liveDatabase(.file(url))
    try database.write { try $0.put(Errand(id: 1, title: "bread")) }
    for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
    if isReplaced { try liveDatabase(.file(url)).close() }
    let error = databaseError { try database.write { try $0.put(Errand(id: 2, title: "lost")) } }
    #expect(error.map { "\($0)" }?.contains("\(url.path) was removed, moved or replaced") == true)
    try database.close()
    let again = try liveDatabase(.file(url))
    try again.write { try $0.put(Errand(id: 3)) }
    #expect(try again.read { try $0.all(Errand.self).map(\.id) } == [3])
  }
}
