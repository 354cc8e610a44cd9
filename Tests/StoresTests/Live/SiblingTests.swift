import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Two databases of one file in one process", .timeLimit(.minutes(5)))
struct SiblingTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("list.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `two databases see each other's rows when a write returns, without a share`() async throws {
    let (database, other) = (try liveDatabase(.file(url)), try liveDatabase(.file(url)))
    let errand = try database.live(Errand.self, id: 1)
    let titles = database.query(Query<Errand>()).map { $0.map(\.title) }.recorded()
    try await other.write { try $0.put(Errand(id: 1, title: "bread")) }
    #expect(errand.value?.title == "bread")
    try await titles.wait(for: ["bread"])
    // A database opened later is followed, too, even by another path.
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.url)
    let later = try liveDatabase(.file(link.appending(path: "list.sqlite")))
    try await later.write { try $0.put(Errand(id: 1, title: "milk")) }
    #expect(errand.value?.title == "milk")
    try later.close()
    try other.close()
  }

  @Test func `another database's changes are reported once, with their rows`() async throws {
    let (database, other) = (try liveDatabase(.file(url)), try liveDatabase(.file(url)))
    let collected = Collected(database)
    for id in 1...20 {
      try await other.write { try $0.put(Errand(id: id)) }
      try await database.write { try $0.put(Opaque(id: "\(id)")) }
    }
    // If the checks of the file mistook these for foreign writes, they would report them.
    while database.foreignWrites?.isLookAwaited == true { try await Task.sleep(for: .milliseconds(5)) }
    let sets = collected.sets
    #expect(sets.count == 40)
    #expect(sets.filter { $0.origin == .sameProcess }.map { $0["errand"].inserted } == (1...20).map { [.integer($0)] })
    #expect(sets.map(\.sequence) == (1...40).map { Int64($0) })
  }

  @Test func `two databases do not hide another program's writes`() async throws {
    let (database, other) = (try liveDatabase(.file(url)), try liveDatabase(.file(url)))
    let counts = database.observe { transaction in
      try transaction.count(Errand.self)
    }.recorded()
    let foreign = try DatabaseFile(
      location: .file(url), schema: nil, durability: .process, busyTimeout: .seconds(60)
    ).connect()
    for round in 1...5 {
      try await other.write { try $0.put(Errand(id: 2 * round)) }
      try foreign.execute("INSERT INTO errand VALUES (\(2 * round + 1), '', 0)")
      try await counts.wait(for: 2 * round)
    }
  }

  @Test func `two databases that share the file report a change once, with its author`() async throws {
    let fixture = try ShareFixture()
    let (database, other) = (try fixture.database(), try fixture.database())
    let (share, theirs) = (try fixture.share(database, "app"), try fixture.share(other, "helper"))
    try await other.write { try $0.execute("CREATE TABLE untold (id INTEGER PRIMARY KEY)") }
    let told = database.changes.recorded()
    try insert("bread", into: other)
    try await other.write { try $0.execute("INSERT INTO untold DEFAULT VALUES") }
    try await told.wait { $0.count >= 2 }
    #expect(Set(told.elements.map(\.origin)) == [.peer("helper"), .sameProcess])
    #expect(told.elements.first { $0.origin == .sameProcess }.map { Set($0.tables.keys) } == ["untold"])
    theirs.close()
    share.close()
  }

  @Test func `a row is read again after a transaction during which the other database wrote`() throws {
    let (database, other) = (try liveDatabase(.file(url)), try liveDatabase(.file(url)))
    let errand = try database.live(Errand.self, id: 1)
    try database.read { transaction in
      #expect(try transaction.count(Errand.self) == 0)
      try other.write { try $0.put(Errand(id: 1, title: "bread")) }
    }
    #expect(errand.value?.title == "bread")
  }

  @Test func `a query reaches the last state while other databases open and close under load`() async throws {
    let database = try Database(.file(url), schema: nil, busyTimeout: .seconds(60))
    try await database.write { try $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)") }
    let counts = database.observe { transaction in
      try transaction.value("SELECT count(*) FROM item")
    }.recorded()
    let url = url
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await onThread {
            for _ in 0..<25 {
              let other = try Database(.file(url), busyTimeout: .seconds(60))
              let seen = other.changes.recorded()
              try other.write { try $0.execute("INSERT INTO item DEFAULT VALUES") }
              withExtendedLifetime(seen) {}
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await counts.wait(for: 100)
  }
}
