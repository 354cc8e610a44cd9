import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// Any process that can write the file can write any number into its history, which must crash no process.
@Suite("Exhausted sequence numbers in a shared history", .patient)
struct ShareNumberTests {
  /// Makes the next entry of the history the last possible one.
  private func exhaust(_ database: Database) throws {
    let changes = ChangeCoding.encode(["errand": TableChanges(inserted: [1])])
    try database.write {
      try $0.execute(
        "INSERT INTO signals_history VALUES (?, 'other', 0, ?)", Int64.max - 1, SQLiteValue.blob(changes))
    }
  }

  @Test func `the largest sequence number does not prevent writes`() async throws {
    let fixture = try ShareFixture()
    let database = try fixture.database()
    let share = try fixture.share(database, "app")
    let own = database.changes.filter { $0.origin == .here }.recorded()
    try exhaust(database)
    for number in 0..<3 { try insert("\(number)", into: database) }
    // The share's thread may be delivering the other author's entry, and then it delivers these, too.
    let changes = try await own.wait { $0.count == 3 }
    #expect(changes.map(\.sequence) == [.max, .max, .max])
    share.close()
  }

  @Test func `the largest sequence number does not hide a migration by another process`() async throws {
    let fixture = try ScopeFixture()
    let (database, other) = (try fixture.open(), try fixture.open())
    let container = try AppGroupsContainer(directory: fixture.root)
    let share = try DatabaseShare(database, container: container, author: "app", tables: ["errand"])
    let theirs = try DatabaseShare(other, container: container, author: "helper", tables: ["errand"])
    let incoming = share.incoming.recorded()
    let query = database.query(Query<Errand>())
    let troubles = query.failures.recorded()
    let subscription = query.sink { _ in }
    try exhaust(other)
    try await other.write { try $0.put(Errand(id: 2)) }
    try await incoming.wait { $0.last?.sequence == .max }
    let newer = Schema(version: 2, models: [Errand.self]) { MigrationStep(to: 2) { _ in } }
    try Database(fixture.location, schema: newer).close()
    let changed = DatabaseError.schema(.changedMeanwhile(found: 2, opened: 1), path: fixture.url.path)
    #expect(try await troubles.first { _ in true } == changed)
    subscription.cancel()
    theirs.close()
    share.close()
  }
}
