import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// A row with sort columns that may be null and have few values.
struct RankedEntry: StoreModel, Equatable {
  static let table = TableSpec("entry", indexes: [["group", "rank"]])
  var id: Int
  var group: String?
  var rank: Double?
  var isDone = false
}

@Suite("A window over a query", .seeded, .patient)
struct WindowTests {
  private func database(rows: [RankedEntry]) throws -> Database {
    let database = try Database(.memory, schema: Schema(version: 1, models: [RankedEntry.self]))
    try database.write { try $0.put(rows) }
    return database
  }

  /// Returns rows in a random order of columns with few values and null.
  private func randomEntry(_ id: Int, _ chance: inout Chance) -> RankedEntry {
    let groups = [nil, "a", "b", "c"]
    return RankedEntry(
      id: id, group: groups[chance.number(below: 4)],
      rank: chance.once(in: 3) ? nil : Double(chance.number(below: 4)), isDone: chance.once(in: 2))
  }

  private static let queries: [Query<RankedEntry>] = [
    Query(), RankedEntry.ordered(.descending) { $0.id }, RankedEntry.ordered { $0.group },
    RankedEntry.ordered(.descending) { $0.group },
    RankedEntry.ordered { $0.group }.ordered { $0.rank },
    RankedEntry.ordered(.descending) { $0.group }.ordered { $0.rank },
    RankedEntry.ordered { $0.rank }.ordered(.descending) { $0.group }.ordered(.descending) { $0.id },
    RankedEntry.where { $0.isDone == true }.ordered(.descending) { $0.rank }.ordered { $0.rank },
    Query(sql: "SELECT *, 1 AS more FROM entry WHERE id % 2 = 0").ordered { $0.rank },
  ]

  @Test(arguments: queries)
  func `pages forward and backward are the rows of the query, with null and mixed directions`(
    query: Query<RankedEntry>
  ) throws {
    var chance = Chance()
    let database = try database(rows: (0..<150).map { randomEntry($0, &chance) })
    try database.read { transaction in
      let all = try transaction.all(query.orderedByKey)
      let state = WindowState()
      let read = { try state.page(of: query, size: 7, on: transaction.connection) }
      var page = try read()
      var forward = page.rows
      while page.hasNext {
        state.move { $0.move(by: 7) }
        page = try read()
        forward += page.rows.suffix(min(7, all.count - forward.count))
      }
      #expect(forward == all)
      #expect(page.rows == all.suffix(7))
      for first in stride(from: all.count - 14, to: -7, by: -7) {
        state.move { $0.move(by: -7) }
        page = try read()
        #expect(page.rows == Array(all[max(0, first)...].prefix(7)))
        #expect(page.hasPrevious == (first > 0))
      }
      #expect(!page.hasPrevious)
    }
  }

  @Test(arguments: queries)
  func `a window stays in place while other rows come and go`(query: Query<RankedEntry>) throws {
    var chance = Chance()
    let database = try database(rows: (0..<60).map { randomEntry($0, &chance) })
    let state = WindowState()
    let read = { try database.read { try state.page(of: query, size: 5, on: $0.connection) } }
    for _ in 0..<Scale.count(150, torture: 5_000) {
      switch chance.number(below: 8) {
      case 0: state.move { $0.move(by: 5) }
      case 1: state.move { $0.move(by: -5) }
      case 2: state.move { $0.jump(to: chance.once(in: 2) ? .start : .end) }
      case 3: state.move { $0.jump(to: .integer(Int64(chance.number(below: 80)))) }
      default: break
      }
      let before = try read()
      let first = before.rows.first
      let all = try database.read { try $0.all(query.orderedByKey) }
      // A page is always a part of the result, as long as possible, and its ends are known.
      let place = all.firstIndex { $0.id == first?.id } ?? 0
      #expect(
        before.rows == Array(all[place...].prefix(5)) && before.rows.count == min(5, all.count))
      #expect(
        before.hasPrevious == (place > 0)
          && before.hasNext == (place + before.rows.count < all.count))
      let isAtEnd = !before.hasNext || !before.hasPrevious
      let id = chance.number(below: 80)
      let row = randomEntry(id, &chance)
      let isInserted = chance.once(in: 2)
      try database.write { transaction in
        if isInserted {
          try transaction.put(row)
        } else {
          try transaction.delete(RankedEntry.self, id: id)
        }
      }
      let after = try read()
      let isThere =
        try database.read { try $0.first(query.where { $0.named("id") == first?.id }) } == first
      // Unless the window shows an end or its first row has changed, it begins with the same row.
      if !isAtEnd, after.hasNext, isThere { #expect(after.rows.first == first) }
    }
  }

  @Test func `each part of a page is found in an index`() throws {
    let database = try database(rows: [RankedEntry(id: 1)])
    for query in [
      Query(), RankedEntry.ordered(.descending) { $0.id },
      RankedEntry.ordered { $0.group }.ordered { $0.rank },
      RankedEntry.ordered(.descending) { $0.group }.ordered(.descending) { $0.rank }.ordered(.descending) { $0.id },
    ] {
      let seek = try WindowSeek(query)
      let places: [[SQLiteValue]] =
        query.orders.count < 2
        ? [[7]] : [["a", 1, 7], [.null, 1, 7], ["a", .null, 7], [.null, .null, 7]]
      for place in places {
        for isReversed in [false, true] {
          for part in seek.queries(from: place, isIncluded: true, isReversed: isReversed) {
            let compiled = try part.limit(20).compiled(in: ModelLayout.of(RankedEntry.self))
            let plan = try database.read {
              try $0.rows("EXPLAIN QUERY PLAN " + compiled.sql, arguments: compiled.arguments)
            }
            let steps = plan.compactMap { $0["detail"].stringValue }
            #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH"), "\(part): \(steps)")
          }
        }
      }
    }
  }

  @Test func `a window over 100,000 rows reads only its rows, and follows changes`() async throws {
    let rows = (0..<100_000).map {
      RankedEntry(id: $0, group: $0 % 2 == 0 ? nil : "a", rank: Double($0 / 1000))
    }
    let database = try database(rows: rows)
    let window = database.window(
      over: RankedEntry.ordered { $0.group }.ordered { $0.rank }, size: 50)
    let pages = window.recorded()
    #expect(pages.elements.map { $0.rows.map(\.id) } == [Array(stride(from: 0, to: 100, by: 2))])
    window.scroll(to: 50_001)
    let page = try await pages.first { $0.rows.first?.id == 50_001 }
    #expect(
      page.rows.map(\.id) == Array(stride(from: 50_001, to: 50_101, by: 2)) && page.hasPrevious
        && page.hasNext)
    try await database.write { transaction in
      try transaction.execute("DELETE FROM entry WHERE id IN (50001, 50003, 1)")
      try transaction.put(RankedEntry(id: 100_001, group: "a", rank: 50))
    }
    try await pages.first { $0.rows.first?.id == 50_005 }
    window.moveBackward()
    try await pages.first { $0.rows.first?.id == 49_901 && $0.rows.last?.id == 49_999 }
    window.moveToEnd()
    try await pages.first { !$0.hasNext && $0.rows.last?.id == 99_999 }
    try await database.write { try $0.put(RankedEntry(id: 100_003, group: "b")) }
    try await pages.first { $0.rows.last?.id == 100_003 }
    let counts = window.count.recorded()
    #expect(counts.elements == [99_999])
  }

  @Test func `a window follows another object with the file`() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("list.sqlite")
    let schema = Schema(version: 1, models: [RankedEntry.self])
    let (database, other) = (
      try Database(.file(file), schema: schema), try Database(.file(file), schema: schema)
    )
    try await other.write { try $0.put((0..<10).map { RankedEntry(id: $0) }) }
    let pages = database.window(over: Query<RankedEntry>(), size: 3, scheduling: .async).recorded()
    try await pages.first { $0.rows.map(\.id) == [0, 1, 2] && $0.hasNext }
    try await other.write { _ = try $0.delete(RankedEntry.self, id: 1) }
    try await pages.first { $0.rows.map(\.id) == [0, 2, 3] }
    try await other.write { _ = try $0.deleteAll(RankedEntry.self) }
    try await pages.first { $0 == WindowPage() }
  }

  @Test func `a query with a limit is refused`() throws {
    let window = try database(rows: []).window(over: Query<RankedEntry>().limit(5), size: 3)
    let failures = window.failures.recorded()
    let subscription = window.sink { _ in Issue.record("there is a page") }
    #expect(failures.elements == [.model(.limitedWindow(table: "entry"), path: ":memory:")])
    subscription.cancel()
  }
}

extension Query<RankedEntry> {
  /// The query in the order of a window over it.
  fileprivate var orderedByKey: Query { orders.isEmpty ? ordered { $0.id } : self }
}
