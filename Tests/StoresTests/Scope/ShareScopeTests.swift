import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("A share in a directory that is switched", .patient)
struct ShareScopeTests {
  private let fixture: ScopeFixture

  init() throws {
    fixture = try ScopeFixture()
  }

  private func share(_ database: Database, _ author: String) throws -> DatabaseShare {
    try DatabaseShare(
      database, container: AppGroupsContainer(directory: fixture.root), author: author,
      tables: ["errand"])
  }

  @Test func `a share continues with the new history, and reports that everything has changed`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    // Two objects of one process stand in for two processes that follow the same switch.
    let (database, other) = (try fixture.open(), try fixture.open())
    let (share, theirs) = (try share(database, "app"), try share(other, "helper"))
    let incoming = share.incoming.recorded()
    let saves = theirs.outgoing.recorded()
    for id in 2...4 { try await other.write { try $0.put(Errand(id: id)) } }
    try await incoming.wait { $0.map(\.sequence) == [1, 2, 3] }

    try fixture.switchContents(away: "a", in: "b")
    let change = try await incoming.first { $0.origin == .switch }
    #expect(change["errand"].isEverything)
    try await other.write { try $0.put(Errand(id: 7)) }
    let next = try await incoming.first { $0["errand"].inserted == [7] }
    #expect(next.author == "helper" && next.sequence == 1)
    #expect(saves.elements.map(\.sequence) == [1, 2, 3, 1])

    // Missed changes of the first history wait there, as for a process that was away.
    try fixture.switchContents(away: "b", in: "a")
    try await other.write { try $0.put(Errand(id: 8)) }
    let last = try await incoming.first { $0["errand"].inserted == [8] }
    #expect(last.sequence == 4)
    #expect(incoming.elements.filter { $0.origin == .switch }.count == 2)
    #expect(try share.pendingCount() == 0)
    theirs.close()
  }

  @Test func `closing a share during a switch does not deadlock`() throws {
    let database = try fixture.open()
    let share = try share(database, "app")
    let nested = DatabaseError.nestedAccess(path: fixture.url.path, inner: "read of the share", outer: "switch")
    try fixture.scope.switchContents {
      // A subscription makes the queue read.
      let subscription = share.incoming.sink { _ in }
      #expect(throws: nested) { try share.pendingCount() }
      share.close()
      subscription.cancel()
    }
    try database.write { _ in }
  }

  @Test func `a suspended share follows the switch when it resumes, and throws until then`() async throws {
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let (database, other) = (try fixture.open(), try fixture.open())
    let (share, theirs) = (try share(database, "app"), try share(other, "helper"))
    let (incoming, failures) = (share.incoming.recorded(), share.failures.recorded())
    try database.suspend()
    try fixture.switchContents(away: "a", in: "b")
    let suspended = DatabaseError.suspended(path: fixture.url.path, operation: "write")
    #expect(throws: suspended) { try share.pendingCount() }
    #expect(throws: suspended) { try share.discardPending() }
    #expect(failures.elements.isEmpty && incoming.elements.isEmpty)
    try database.resume()
    // No write is needed.
    try await incoming.first { $0.origin == .switch }
    try await other.write { try $0.put(Errand(id: 7)) }
    #expect(try await incoming.first { $0["errand"].inserted == [7] }.sequence == 1)
    theirs.close()
    share.close()
  }

  @Test func `a migration by another process is reported before and after a switch`() async throws {
    let newer = Schema(version: 2, models: [Errand.self]) { MigrationStep(to: 2) { _ in } }
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
    let database = try fixture.open()
    let share = try share(database, "app")
    let changed = DatabaseError.schema(.changedMeanwhile(found: 2, opened: 1), path: fixture.url.path)
    for round in 1...2 {
      let query = database.query(Query<Errand>())
      let troubles = query.failures.recorded()
      let subscription = query.sink { _ in }
      // This write makes the share use the bell that the other process will ring.
      try await database.write { try $0.put(Errand(id: 9)) }
      try Database(fixture.location, schema: newer).close()
      #expect(try await troubles.first { _ in true } == changed)
      subscription.cancel()
      if round == 1 { try fixture.switchContents(away: "a", in: "b") }
    }
    share.close()
  }
}
