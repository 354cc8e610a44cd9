import AppGroups
import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

@Suite("Databases that are opened through links", .patient)
struct LinkedDatabaseTests {
  private let directory: TemporaryDirectory
  private var target: URL { directory.file("place/list.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
    _ = try directory.makeFolder("place")
  }

  /// The ways to name the file other than by its path.
  enum Way: CaseIterable {
    case link, relativeLink, linkToLink, linkedFolder, parent
  }

  private func path(_ way: Way) throws -> URL {
    let files = FileManager.default
    let link = directory.file("link.sqlite")
    switch way {
    case .link:
      try files.createSymbolicLink(at: link, withDestinationURL: target)
    case .relativeLink:
      try files.createSymbolicLink(atPath: link.path, withDestinationPath: "place/../place/list.sqlite")
    case .linkToLink:
      _ = try directory.makeFolder("other")
      let second = directory.file("other/second.sqlite")
      try files.createSymbolicLink(atPath: second.path, withDestinationPath: "../place/list.sqlite")
      try files.createSymbolicLink(at: link, withDestinationURL: second)
    case .linkedFolder:
      try files.createSymbolicLink(atPath: directory.file("folder").path, withDestinationPath: "place")
      return directory.file("folder/list.sqlite")
    case .parent:
      _ = try directory.makeFolder("deep/er")
      try files.createSymbolicLink(atPath: directory.file("folder").path, withDestinationPath: "deep/er")
      // The system follows the link before it goes up.
      return URL(fileURLWithPath: directory.url.path + "/folder/../../place/list.sqlite", isDirectory: false)
    }
    return link
  }

  private func names() throws -> [String] { try directory.names().filter { $0 != "place" && !$0.hasPrefix("deep") } }

  @Test(arguments: Way.allCases)
  func `live queries follow the writes of a process that uses the file itself`(_ way: Way) async throws {
    let peer = try PeerProcess()
    try await peer.send("store-open \(target.path)")
    let database = try Database(.file(try path(way)))
    let numbers = Recorder<Int64?>()
    let subscription = database.observe { try $0.value("SELECT n FROM counter").int64Value }.sink { numbers.record($0) }
    for round in 1...3 {
      try await peer.send("store-count 1")
      try await numbers.wait { $0.last == Int64(round) }
    }
    subscription.cancel()
    try database.close()
  }

  @Test(arguments: Way.allCases)
  func `changes are shared with a process that uses the file itself, under one set of names`(_ way: Way) async throws {
    let container = try AppGroupsContainer(directory: directory.url)
    let peer = try PeerProcess()
    try await peer.send("share-database \(target.path) \(directory.url.path) helper")
    let database = try Database(.file(try path(way)))
    #expect(throws: DatabaseError.self) { try self.share(database, container, "helper") }
    let share = try self.share(database, container, "app")
    let incoming = share.incoming.recorded()
    try await peer.send("insert-items 1 bread")
    #expect(try await incoming.first { _ in true }.author == "helper")
    share.close()
    try database.close()
    // Everything is beside the file itself.
    #expect(try names().allSatisfy { ["folder", "link.sqlite", "other"].contains($0) })
  }

  private func share(_ database: Database, _ container: AppGroupsContainer, _ author: String) throws -> DatabaseShare {
    try DatabaseShare(database, container: container, author: author, lockTimeout: .zero)
  }

  @Test func `objects of one process that use different names of a file follow each other`() throws {
    let (database, other) = (try liveDatabase(.file(target)), try liveDatabase(.file(try path(.link))))
    let changes = Recorder<ChangeSet>()
    let subscription = other.changes.sink { changes.record($0) }
    try database.write { try $0.put(Errand(id: 1)) }
    #expect(changes.elements.map(\.origin) == [.sameProcess])
    subscription.cancel()
  }

  @Test func `a link to a missing file creates the file, which only its owner can read`() throws {
    let link = try path(.relativeLink)
    let database = try liveDatabase(.file(link))
    try database.write { try $0.put(Errand(id: 1)) }
    #expect(try FileStatus(path: target.path, followsLinks: false)?.permissions == 0o600)
    #expect(try FileStatus(path: link.path, followsLinks: false)?.kind == .link)
    try database.close()
    // A link to a directory that is missing, and one to itself, are reported.
    let dangling = directory.file("dangling.sqlite")
    try FileManager.default.createSymbolicLink(atPath: dangling.path, withDestinationPath: "missing/list.sqlite")
    #expect(databaseError { try Database(.file(dangling)) } != nil)
    let loop = directory.file("loop.sqlite")
    try FileManager.default.createSymbolicLink(atPath: loop.path, withDestinationPath: "loop.sqlite")
    #expect(databaseError { try Database(.file(loop)) } != nil)
  }

  @Test func `all connections use the file that was opened, wherever its link leads later`() throws {
    let link = try path(.link)
    let database = try liveDatabase(.file(link))
    try database.write { try $0.put(Errand(id: 1)) }
    let other = directory.file("place/other.sqlite")
    try liveDatabase(.file(other)).close()
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
    // The first read opens a connection.
    #expect(try database.read { try $0.count(Errand.self) } == 1)
    #expect(try liveDatabase(.file(link)).read { try $0.count(Errand.self) } == 0)
  }

  @Test func `an inspection through a link reads the log, too`() throws {
    let database = try liveDatabase(.file(target))
    try database.write { try $0.put(Errand(id: 1)) }
    let found = try DatabaseInspection.read(try path(.link))
    #expect(found.tables.first { $0.name == "errand" }?.rows == 1)
    withExtendedLifetime(database) {}
  }

  @Test func `a link inside a scope to a file outside is refused`() throws {
    let root = try directory.makeFolder("live")
    let scope = Scope(root: root)
    let link = root.appending(path: "list.sqlite", directoryHint: .notDirectory)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    let refusal = databaseError { try Database(.file(link), scope: scope) }
    #expect(refusal == .outsideScope(path: link.path, root: root.path))
  }

  @Test func `a database whose link leads elsewhere after a switch is closed with the reason`() throws {
    let fixture = try ScopeFixture()
    func link(_ name: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: fixture.directory.url.path + "/\(name)/list.sqlite", withDestinationPath: target)
    }
    try link("live", to: "one.sqlite")
    let database = try fixture.open()
    try database.write { try $0.put(Errand(id: 1)) }
    try fixture.make("next")
    try link("next", to: "two.sqlite")
    try fixture.switchContents(away: "old", in: "next")
    guard case .closed(.cannotOpen(let failure)) = database.status.value else {
      Issue.record("it is \(database.status.value)")
      return
    }
    #expect(failure.message.contains("two.sqlite"))
    #expect(databaseError { try database.write { try $0.put(Errand(id: 2)) } } != nil)
    // With the first contents it is usable again.
    try fixture.switchContents(away: "next", in: "old")
    #expect(try database.read { try $0.all(Errand.self).map(\.id) } == [1])
  }
}
