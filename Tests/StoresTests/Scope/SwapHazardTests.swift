import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

/// What went wrong before after a swap that could not be followed, or of a database that was closed or only reads.
@Suite("Hazards of databases whose directory is swapped", .patient)
struct SwapHazardTests {
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

  @Test func `a swap is told when the file can be opened at last, whatever it is then opened for`() async throws {
    let database = try fixture.open()
    let share = try DatabaseShare(
      database, container: AppGroupsContainer(directory: fixture.root), author: "app",
      tables: ["errand"])
    let errand = try database.live(Errand.self, id: 1)
    let changes = database.changes.recorded()
    let incoming = share.incoming.recorded()
    try fixture.swap(away: "a", in: "damaged")
    try fixture.rest()
    guard case .closed(.notADatabase) = database.status.value else {
      Issue.record("it is \(database.status.value)")
      return
    }
    #expect(changes.elements.isEmpty)
    try fixture.rename(away: "damaged", in: "b")
    try fixture.rest()
    #expect(database.status.value == .open)
    // The share looks into the new file on a thread of its own, which may be the one that delivers the change.
    try await changes.wait { $0.map(\.origin) == [.swap] }
    _ = await errand.values.first { $0?.title == "new" }
    try errand.update { $0.title = "newer" }
    try await changes.wait { $0.map(\.sequence) == [0, 1] }
    let swap = try await incoming.first { $0.origin == .swap }
    #expect(swap["errand"].isEverything)

    try fixture.rest()
    #expect(changes.elements.count == 2, "it is told once")
    share.close()
  }

  @Test func `one that was closed by a swap says so after whatever comes of the next`() throws {
    let database = try fixture.open(.closes)
    try fixture.swap(away: "a", in: "b")
    try fixture.rest()
    expectClosed(database, .swapped(path: path))
    try fixture.swap(away: "b", in: "damaged")
    expectClosed(database, .swapped(path: path))
  }

  @Test func `one that its owner has closed says so, whatever is swapped before and after`() throws {
    let (database, swapped) = (try fixture.open(.closes), try fixture.open(.closes))
    try database.close()
    try fixture.swap(away: "a", in: "b")
    expectClosed(database, .closed(path: path))
    expectClosed(swapped, .swapped(path: path))
    try swapped.close()
    expectClosed(swapped, .closed(path: path))
    try fixture.rest()
    expectClosed(database, .closed(path: path))
    expectClosed(swapped, .closed(path: path))
  }

  @Test func `one that only reads says so again when there is something to read again`() throws {
    let database = try Database(fixture.location, access: .readOnly, scope: fixture.scope)
    try fixture.swap(away: "a", in: "damaged")
    let failure = databaseError { try database.write { _ in } }
    guard case .notADatabase = failure else { return recordUnexpected(failure) }
    try fixture.swap(away: "damaged", in: "b")
    #expect(databaseError { try database.write { _ in } } == .openedReadOnly(path: path))
    #expect(try database.read { try $0.value("SELECT title FROM errand") } == "new")
  }

  @Test func `one that only reads tells which tables there are after a swap`() throws {
    let database = try Database(fixture.location, access: .readOnly, schema: ScopeFixture.schema, scope: fixture.scope)
    let collected = Collected(database)
    try fixture.swap(away: "a", in: "b")
    let sets = collected.take()
    #expect(sets.map(\.origin) == [.swap])
    #expect(sets.map(\.tables) == [["errand": TableChanges(isEverything: true)]])
  }
}
