import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Migrations of open files", .patient)
struct OpenMigrationTests {
  private struct First: StoreModel, Equatable {
    static let table = TableSpec("item")
    var id: Int
    var price: Int
  }

  /// The same columns, in another unit.
  private struct Second: StoreModel, Equatable {
    static let table = TableSpec("item")
    var id: Int
    var price: Int
  }

  private static let first = Schema(version: 1, models: [First.self])
  private static let second = Schema(version: 2, models: [Second.self]) {
    MigrationStep(to: 2) {
      try $0.transform(Second.self, from: First.self) { Second(id: $0.id, price: $0.price * 100) }
    }
  }

  private let fixture: ShareFixture
  private var location: DatabaseLocation { .file(fixture.file) }
  private var changed: DatabaseError {
    .schema(.changedMeanwhile(found: 2, opened: 1), path: fixture.file.path)
  }

  init() throws {
    fixture = try ShareFixture()
  }

  @Test func `a migration is noticed before rows are read or written, even if all columns exist`() throws {
    let database = try Database(location, schema: Self.first)
    let untouched = try Database(location, schema: Self.first)
    try database.write { try $0.put(First(id: 1, price: 5)) }
    #expect(try database.read { try $0.all(First.self) } == [First(id: 1, price: 5)])
    let newer = try Database(location, schema: Self.second)
    for old in [database, untouched] {
      #expect(databaseError { _ = try old.read { try $0.all(First.self) } } == changed)
      #expect(databaseError { try old.write { try $0.put(First(id: 2, price: 7)) } } == changed)
      #expect(databaseError { _ = try old.live(First.self, id: 1) } == changed)
    }
    #expect(try newer.read { try $0.all(Second.self) } == [Second(id: 1, price: 500)])
    #expect("\(changed)".contains("version 2"))
    // A rejected database is rejected again, and does not count as one that knows the new version.
    for old in [database, untouched] {
      for price in 8...9 {
        #expect(databaseError { try old.write { try $0.put(First(id: 2, price: price)) } } == changed)
      }
    }
    #expect(try newer.read { try $0.all(Second.self) } == [Second(id: 1, price: 500)])
    // Without a schema, no version is expected.
    let plain = try Database(location)
    #expect(try plain.read { try $0.value("SELECT price FROM item") } == 500)
  }

  @Test func `a migration is reported to shares and live reads`() async throws {
    let database = try Database(location, schema: Self.first)
    try await database.write { try $0.put(First(id: 1, price: 5)) }
    let share = try fixture.share(database, "old", scope: ["item"])
    let failures = share.failures.recorded()
    let item = try database.live(First.self, id: 1)
    let itemFailures = item.failures.recorded()
    let query = database.query(Query<First>())
    let troubles = query.failures.recorded()
    let subscription = query.sink { _ in }
    let told = database.changes.recorded()
    let other = try Database(location, schema: Self.first)
    let theirs = try fixture.share(other, "helper", scope: ["item"])
    try await other.write { try $0.put(First(id: 2, price: 7)) }
    try await told.first { $0.origin == .peer("helper") }
    theirs.close()
    let newer = try Database(location, schema: Self.second)
    #expect(try await troubles.first { _ in true } == changed)
    let last = try await told.first { $0.origin == .migration }
    #expect(last.sequence > told.elements[0].sequence && told.elements.count == 2)
    #expect(try await itemFailures.first { _ in true } == changed)
    #expect(try await failures.first { _ in true } == changed)
    #expect(item.value == First(id: 1, price: 5))
    subscription.cancel()
    try newer.close()
  }

  @Test func `emptying a cache instead of migrating it is reported, too`() async throws {
    let database = try Database(location, schema: Self.first, policy: .cache)
    try await database.write { try $0.put(First(id: 1, price: 5)) }
    let share = try fixture.share(database, "old", scope: ["item"])
    let query = database.query(Query<First>())
    let troubles = query.failures.recorded()
    let subscription = query.sink { _ in }
    // By then it has read once, and only the bell makes it read again.
    #expect(try share.pendingCount() == 0)
    let newer = try Database(location, schema: Schema(version: 2, models: [Second.self]), policy: .cache)
    guard case .rebuilt = newer.schemaOutcome else { return recordUnexpected(nil) }
    #expect(try await troubles.first { _ in true } == changed)
    subscription.cancel()
    share.close()
  }

  @Test func `a migration is found in the history by a peer that was away`() async throws {
    do {
      let share = try fixture.share(Database(location, schema: Self.first), "away", scope: ["item"])
      let subscription = share.incoming.sink { _ in }
      // This waits for the queue, which registers the subscription.
      _ = try share.pendingCount()
      subscription.cancel()
      share.close()
    }
    let newer = try Database(location, schema: Self.second)
    let share = try fixture.share(newer, "away", scope: ["item"])
    let change = try await share.incoming.recorded().first { _ in true }
    #expect(change.origin == .migration && change.author == nil && change["item"].isEverything)
  }

  @Test func `a migration is awaited while it makes progress, however short the timeout`() async throws {
    try Database(location, schema: Self.first).close()
    let (began, waited) = (Shared(false), Shared(false))
    let slow = Schema(version: 2, models: [Second.self]) {
      MigrationStep(to: 2) { migration in
        began.value = true
        while !waited.value { try migration.execute("UPDATE item SET price = price") }
      }
    }
    let location = location
    async let migration = onThread { try Database(location, schema: slow).schemaOutcome }
    while !began.value { try await Task.sleep(for: .milliseconds(1)) }
    async let opening = onThread { () -> SchemaOutcome? in
      try Database(location, schema: slow, busyTimeout: .milliseconds(20)).schemaOutcome
    }
    // Longer than the opening waits for anything but a migration.
    try await Task.sleep(for: .milliseconds(500))
    waited.value = true
    #expect(try await opening == .current)
    #expect(try await migration == .migrated(from: 1, backup: fixture.file.path + ".v1.backup"))
    #expect(!FileManager.default.fileExists(atPath: fixture.file.path + "-migration"))
  }

  @Test func `a stalled migration is not awaited`() async throws {
    let path = fixture.file.path
    let hanging = try PeerProcess()
    #expect(try await hanging.send("schema-open \(path) 1") == "created")
    let answer = Task { try await hanging.send("schema-stop \(path)") }
    try await hanging.events.wait(for: "the migration") { $0.contains("migrating") }
    let error = try await onThread {
      databaseError {
        try Database(.file(URL(filePath: path)), busyTimeout: .milliseconds(20)).write {
          try $0.execute("DROP TABLE run")
        }
      }
    }
    guard case .busy = error else { return recordUnexpected(error) }
    try await hanging.kill()
    await #expect(throws: PeerProcess.Failure.self) { try await answer.value }
  }

  @Test func `a migration mark dated far in the future is ignored`() throws {
    let path = fixture.file.path
    let mark = URL(filePath: path + "-migration")
    try Data().write(to: mark)
    let ages: [TimeInterval: Bool] = [0: true, 1: true, 3600: false, -1: true, -3600: true]
    for (lead, isThere) in ages {
      let date = Date(timeIntervalSinceNow: lead)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: mark.path)
      #expect((MigrationMark.age(database: path) != nil) == isThere, "\(lead) s")
    }
  }

  @Test func `a migration mark whose age no number can hold ends no process`() throws {
    let mark = URL(filePath: fixture.file.path + "-migration")
    try Data().write(to: mark)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 10_400_000_000)], ofItemAtPath: mark.path)
    let age = MigrationMark.age(database: fixture.file.path)
    #expect(age.map { abs($0.inSeconds) > 1_000_000_000 } ?? true)
  }
}
