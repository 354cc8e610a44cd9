import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

/// Faults of earlier versions with switches that could not be followed, and with closed or read-only databases.
@Suite("Hazards of switched databases", .patient)
struct SwitchHazardTests {
  private let fixture: ScopeFixture
  private var path: String { fixture.url.path }

  init() throws {
    fixture = try ScopeFixture()
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    try fixture.make("damaged")
    try Data(repeating: 65, count: 5000).write(to: fixture.url(in: "damaged"))
  }

  private func expectClosed(
    _ database: Database, _ reason: DatabaseError, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(database.status.value == .closed(reason), sourceLocation: location)
    #expect(databaseError { try database.read { _ in } } == reason, sourceLocation: location)
    #expect(databaseError { try database.write { _ in } } == reason, sourceLocation: location)
  }

  @Test func `a switch to an unusable file is reported once, when the file can be opened`() async throws {
    let database = try fixture.open()
    let share = try DatabaseShare(
      database, container: AppGroupsContainer(directory: fixture.root), author: "app",
      tables: ["errand"])
    let errand = try database.live(Errand.self, id: 1)
    let changes = database.changes.recorded()
    let incoming = share.incoming.recorded()
    try fixture.switchContents(away: "a", in: "damaged")
    try fixture.rest()
    guard case .closed(.notADatabase) = database.status.value else {
      Issue.record("it is \(database.status.value)")
      return
    }
    #expect(changes.elements.isEmpty)
    try fixture.rename(away: "damaged", in: "b")
    try fixture.rest()
    #expect(database.status.value == .open)
    // The share reads the new file on its own thread, which may be the one that delivers the change.
    try await changes.wait { $0.map(\.origin) == [.switch] }
    _ = await errand.values.first { $0?.title == "new" }
    try errand.update { $0.title = "newer" }
    try await changes.wait { $0.map(\.sequence) == [0, 1] }
    let change = try await incoming.first { $0.origin == .switch }
    #expect(change["errand"].isEverything)

    try fixture.rest()
    #expect(changes.elements.count == 2, "it is told once")
    share.close()
  }

  @Test func `a database closed by a switch stays closed after later switches`() throws {
    let database = try fixture.open(.closes)
    try fixture.switchContents(away: "a", in: "b")
    try fixture.rest()
    expectClosed(database, .switched(path: path))
    try fixture.switchContents(away: "b", in: "damaged")
    expectClosed(database, .switched(path: path))
  }

  @Test func `a database closed by its owner reports that reason, whatever is switched`() throws {
    let (database, switched) = (try fixture.open(.closes), try fixture.open(.closes))
    try database.close()
    try fixture.switchContents(away: "a", in: "b")
    expectClosed(database, .closed(path: path))
    expectClosed(switched, .switched(path: path))
    try switched.close()
    expectClosed(switched, .closed(path: path))
    try fixture.rest()
    expectClosed(database, .closed(path: path))
    expectClosed(switched, .closed(path: path))
  }

  @Test func `a read-only database rejects writes as read-only again after it recovers`() throws {
    let database = try Database(fixture.location, access: .readOnly, scope: fixture.scope)
    try fixture.switchContents(away: "a", in: "damaged")
    let failure = databaseError { try database.write { _ in } }
    guard case .notADatabase = failure else { return recordUnexpected(failure) }
    try fixture.switchContents(away: "damaged", in: "b")
    #expect(databaseError { try database.write { _ in } } == .openedReadOnly(path: path))
    #expect(try database.read { try $0.value("SELECT title FROM errand") } == "new")
  }

  @Test func `a read-only database names its tables after a switch`() throws {
    let database = try Database(fixture.location, access: .readOnly, schema: ScopeFixture.schema, scope: fixture.scope)
    let collected = Collected(database)
    try fixture.switchContents(away: "a", in: "b")
    // A check of the file may follow, since the connection cannot know what others wrote before it was opened.
    let set = try #require(collected.take().first)
    #expect(set.origin == .switch && set.tables == ["errand": TableChanges(isEverything: true)])
  }
}
