import AppGroups
import Foundation
import Signals
@testable import Stores
import TestSupport
import Testing

/// `SIGNALS_TORTURE=1` runs 10,000 transactions.
@Suite("Live results after random transactions of three processes, with kills", .seeded, .patient)
struct LiveTortureTests {
  private let directory: TemporaryDirectory
  private let container: AppGroupsContainer
  private let database: Database

  private struct Place: StoreModel, Equatable {
    static let table = TableSpec("place")
    static let visits = HasMany<Place, Visit>(\.place).ordered(.descending) { $0.stars }
    static var relations: [any ModelRelation] { [visits] }
    var id: Int
    var name: String
    var isOpen: Bool
  }

  private struct Visit: StoreModel, Equatable {
    static let table = TableSpec(
      "visit", unique: ["note"], foreignKeys: [ForeignKey("place", references: "place", onDelete: .cascade)],
      search: SearchIndex(["note"]))
    static let home = BelongsTo<Visit, Place>(\.place)
    var id: Int
    var place: Int
    var stars: Int?
    var note: String?
  }

  private struct Summary: Codable, Equatable {
    var name: String
    var best: Int?
  }

  /// A live result, and the way to compare it with a fresh read.
  private struct Kind: Sendable {
    let name: String
    let subscription: SignalSubscription
    let isCurrent: @Sendable () async throws -> Void
  }

  init() throws {
    directory = try TemporaryDirectory()
    container = try AppGroupsContainer(directory: directory.url)
    let schema = Schema(
      version: 1, models: [Place.self, Visit.self],
      creation: { migration in for statement in RandomTransactions.textIndex { try migration.execute(statement) } })
    database = try Database(.file(directory.file("live.sqlite")), schema: schema, busyTimeout: .seconds(60))
  }

  @Test(arguments: [false, true])
  func `every live result equals a fresh read after each transaction`(isShared: Bool) async throws {
    let share = isShared ? try DatabaseShare(database, container: container, author: "reader") : nil
    let kinds = try kinds()
    var chance = Chance()
    var peers: [PeerProcess] = []
    for number in 0..<2 { peers.append(try await peer(number, isShared)) }
    let count = Scale.count(150, torture: 5_000)
    for round in 1...count {
      let number = chance.number(below: 3)
      let seed = chance.number(below: 1_000_000)
      if chance.once(in: 50) {
        // The kill hits at an arbitrary moment of a transaction.
        let victim = number % 2
        try await peers[victim].send("live-loop \(seed)")
        try await Task.sleep(for: .milliseconds(1 + chance.number(below: 20)))
        try await peers[victim].kill()
        peers[victim] = try await peer(victim, isShared)
      } else if number == 2 {
        try await step(seed)
      } else {
        try await peers[number].send("live-step \(seed)")
      }
      for kind in kinds {
        do {
          try await kind.isCurrent()
        } catch {
          Issue.record("\(kind.name) is stale after transaction \(round): \(error)")
          return
        }
      }
      if round.isMultiple(of: 100) { Scale.progress("\(round) of \(count) transactions") }
    }
    #expect(try await database.read { try $0.value("PRAGMA integrity_check") } == "ok")
    let check = "INSERT INTO visit_text (visit_text, rank) VALUES ('integrity-check', 1)"
    try await database.write { try $0.execute(check) }
    #expect(try await database.integrityCheck().isEmpty)
    for kind in kinds { kind.subscription.cancel() }
    share?.close()
    try database.close()
  }

  private func peer(_ number: Int, _ isShared: Bool) async throws -> PeerProcess {
    let peer = try PeerProcess()
    let path = directory.file("live.sqlite").path
    try await peer.send(isShared ? "live-share \(path) \(directory.url.path) writer\(number)" : "live-open \(path)")
    return peer
  }

  private func step(_ seed: Int) async throws {
    try await database.write { transaction in
      var chance = Chance(seed: UInt64(seed))
      for statement in RandomTransactions.next(&chance) {
        do { try transaction.execute(statement) } catch DatabaseError.constraint {}
      }
    }
  }

  private func kinds() throws -> [Kind] {
    var kinds = [
      kind("a query by key", database.query(Visit.where { $0.id == 5 })) { try $0.all(Visit.where { $0.id == 5 }) },
      kind("a query by keys", database.query(Visit.where { $0.id.isIn([1, 2, 3]) }.ordered { $0.id })) {
        try $0.all(Visit.where { $0.id.isIn([1, 2, 3]) }.ordered { $0.id })
      },
      kind("a query by condition", database.query(Visit.where { $0.stars > 2 }.ordered { $0.note }.limit(4))) {
        try $0.all(Visit.where { $0.stars > 2 }.ordered { $0.note }.limit(4))
      },
    ]
    let observed: [(String, @Sendable (ReadTransaction) throws -> [Row])] = [
      ("a join", { try $0.rows("SELECT name, note FROM place JOIN visit ON place = place.id ORDER BY visit.id") }),
      ("an aggregate", { try $0.rows("SELECT place, sum(stars), max(note) FROM visit GROUP BY place ORDER BY 1") }),
      ("a count", { try $0.rows("SELECT count(*) FROM visit") }),
      ("an existence", { try $0.rows("SELECT EXISTS (SELECT 1 FROM visit), EXISTS (SELECT 1 FROM place)") }),
      ("a search", { try $0.rows("SELECT rowid FROM visit_text WHERE visit_text MATCH 'red' ORDER BY rowid") }),
      ("an expression", { try $0.rows("WITH t AS MATERIALIZED (SELECT 1 FROM place) SELECT count(*) FROM t") }),
      ("a closure with branches", Self.branches),
    ]
    kinds += observed.map { name, read in kind(name, database.observe(read), read) }
    kinds += selections() + relations() + searches() + windows()
    for id in 0..<3 {
      let place = try database.live(Place.self, id: id)
      let latest = MutableProperty(place.value)
      let database = database
      kinds.append(
        Kind(name: "a live object", subscription: place.sink { latest.value = $0 }) {
          let fresh = try await database.read { try $0.find(Place.self, id: id) }
          try await latest.firstValue { $0 == fresh }
        })
    }
    return kinds
  }

  /// Returns aggregates, groups, distinct values and projections.
  private func selections() -> [Kind] {
    let observed: [(String, @Sendable (ReadTransaction) throws -> [String])] = [
      (
        "aggregates",
        { transaction in
          let aggregates = Visit.select { ($0.id.count(), $0.stars.sum(), $0.stars.average(), $0.note.max()) }
          return try transaction.all(aggregates).map { "\($0)" }
        }
      ),
      (
        "groups",
        { transaction in
          let groups = Visit.where { $0.stars > 1 }.select { ($0.place, $0.stars.min(), $0.note.distinctCount()) }
          return try transaction.all(groups.ordered(.descending) { $0.id.count() }).map { "\($0)" }
        }
      ),
      (
        "an aggregate of keys",
        { transaction in
          ["\(try transaction.sum(Visit.where { $0.id.isIn([1, 4, 7]) }) { $0.stars })"]
        }
      ),
      (
        "distinct values",
        { try $0.all(Visit.where { $0.note != nil }.select { $0.stars }.distinct()).map { "\($0 ?? 0)" } }
      ),
      ("a column", { try $0.all(Visit.ordered { $0.note }.limit(3).select { $0.stars }).map { "\($0 ?? 0)" } }),
    ]
    let projection: @Sendable (ReadTransaction) throws -> [Summary] = { transaction in
      let sql = "SELECT name, max(stars) AS best FROM place LEFT JOIN visit ON place = place.id GROUP BY place.id"
      return try transaction.all(sql, as: Summary.self)
    }
    return observed.map { name, read in kind(name, database.observe(read), read) }
      + [kind("a projection", database.observe(projection), projection)]
  }

  /// Returns the children and the parents of rows.
  private func relations() -> [Kind] {
    let children: @Sendable (ReadTransaction) throws -> [Int: [Visit]] = { transaction in
      try transaction.all(Place.visits, of: transaction.all(Place.where { $0.isOpen == true }))
    }
    let first: @Sendable (ReadTransaction) throws -> [Int: [Visit]] = { transaction in
      let places = try transaction.all(Place.where { $0.id.isIn([2, 5, 8]) })
      return try transaction.all(Place.visits.where { $0.note.hasPrefix("red") }.limit(1), of: places)
    }
    let parents: @Sendable (ReadTransaction) throws -> [Int: Place] = { transaction in
      try transaction.all(Visit.home, of: transaction.all(Visit.where { $0.id.isIn([0, 1, 2, 3]) }))
    }
    return [
      kind("children", database.observe(children), children), kind("first children", database.observe(first), first),
      kind("parents", database.observe(parents), parents),
    ]
  }

  /// Returns searches of the model, by relevance and by a column, and with snippets.
  private func searches() -> [Kind] {
    let byRank = Visit.matching("red")
    let sorted = Visit.matching("ho re", .allPrefixes).where { $0.stars != nil }.ordered { $0.stars }.limit(3)
    let matches: @Sendable (ReadTransaction) throws -> [SearchMatch<Visit>] = { transaction in
      try transaction.matches(Visit.matching("house", .allPrefixes).ordered { $0.id })
    }
    return [
      kind("a search by relevance", database.query(byRank)) { try $0.all(byRank) },
      kind("a sorted search", database.query(sorted)) { try $0.all(sorted) },
      kind("a search with snippets", database.observe(matches), matches),
      kind("the number of matches", database.observe { try $0.count(byRank) }) { try $0.count(byRank) },
    ]
  }

  /// Returns windows at the start and at the end of a query.
  private func windows() -> [Kind] {
    [true, false].map { isAtStart in
      let query = Visit.ordered(.descending) { $0.stars }
      let window = database.window(over: query, size: 4)
      if !isAtStart { window.moveToEnd() }
      let latest = MutableProperty<WindowPage<Visit>?>(nil)
      let database = database
      return Kind(name: "a window", subscription: window.sink { latest.value = $0 }) {
        let all = try await database.read { try $0.all(query) }
        let rows = Array(isAtStart ? all.prefix(4) : all.suffix(4))
        try await latest.firstValue {
          $0 == WindowPage(rows: rows, hasPrevious: !isAtStart && all.count > 4, hasNext: isAtStart && all.count > 4)
        }
      }
    }
  }

  /// Reads other rows and other tables, depending on rows that it reads first.
  private static func branches(_ transaction: ReadTransaction) throws -> [Row] {
    guard let place = try transaction.find(Place.self, id: 3) else {
      return try transaction.rows("SELECT max(stars) FROM visit")
    }
    if place.isOpen { return try transaction.rows("SELECT count(*) FROM place") }
    let visit = try transaction.first(Visit.where { $0.id == place.name.utf8.count % 12 })
    return try transaction.rows("SELECT ? AS note", visit?.note ?? "none")
  }

  private func kind<Value: Equatable & Sendable>(
    _ name: String, _ query: LiveQuery<Value>, _ read: @escaping @Sendable (ReadTransaction) throws -> Value
  ) -> Kind {
    let latest = MutableProperty<Value?>(nil)
    let database = database
    return Kind(name: name, subscription: query.sink { latest.value = $0 }) {
      let fresh = try await database.read(read)
      try await latest.firstValue { $0 == fresh }
    }
  }
}
