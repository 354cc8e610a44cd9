import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Updates of many rows")
struct BulkUpdateTests {
  private let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Item.self]))
    try database.write { transaction in
      try transaction.put((1...6).map { Item(id: $0, name: "item \($0)", count: $0) })
    }
  }

  private func items() throws -> [Item] { try database.read { try $0.all(Item.ordered { $0.id }) } }

  @Test
  func `an update changes the rows of its query and no others, and returns their number`() throws {
    let before = try items()
    let count = try database.write { transaction in
      try transaction.updateAll(Item.where { $0.count > 4 }) {
        $0.name.set(to: "many")
        $0.price.set(to: 2.50)
        $0.note.set(to: "checked")
      }
    }
    #expect(count == 2)
    let after = try items()
    #expect(after.prefix(4) == before.prefix(4))
    #expect(after.suffix(2).allSatisfy { $0.name == "many" && $0.price == 2.5 && $0.note == "checked" })
  }

  @Test
  func `order and limit select the rows`() throws {
    let query = Item.ordered(.descending) { $0.count }.limit(2)
    #expect(try database.write { try $0.updateAll(query) { $0.count.set(to: 0) } } == 2)
    #expect(try items().map(\.count) == [1, 2, 3, 4, 0, 0])
    let raw = Query<Item>(sql: "SELECT * FROM item WHERE id < ?", 3)
    #expect(try database.write { try $0.updateAll(raw) { $0.count.set(to: 9) } } == 2)
    #expect(try items().map(\.count) == [9, 9, 3, 4, 0, 0])
  }

  @Test
  func `assignments use the values before the update`() throws {
    try database.write { transaction in
      try transaction.updateAll(Item.where { $0.id == 1 }) {
        $0.count.set(to: $0.other)
        $0.other.set(to: $0.count)
      }
    }
    let item = try #require(try items().first)
    #expect(item.count == 7 && item.other == 1)
  }

  @Test
  func `an update without assignments writes nothing`() throws {
    let isWanted = false
    let count = try database.write { transaction in
      try transaction.updateAll(Query<Item>()) { if isWanted { $0.count.set(to: 0) } }
    }
    #expect(count == 0)
    #expect(try items().map(\.count) == Array(1...6))
  }

  @Test
  func `a value that cannot be stored is an error, and nothing changes`() throws {
    let before = try items()
    #expect(throws: DatabaseError.self) {
      try database.write { try $0.updateAll(Query<Item>()) { $0.weight.set(to: .nan) } }
    }
    #expect(throws: DatabaseError.self) {
      try database.write { try $0.updateAll(Query<Item>()) { $0.price.set(to: .nan) } }
    }
    #expect(throws: DatabaseError.self) {
      try database.write { try $0.updateAll(Query<Item>()) { $0.big.set(to: .max) } }
    }
    #expect(throws: DatabaseError.self, "two rows have one key") {
      try database.write { try $0.updateAll(Query<Item>()) { $0.id.set(to: 1) } }
    }
    #expect(throws: DatabaseError.self, "a computed property") {
      try database.write { try $0.updateAll(Query<Item>()) { $0.upper.set(to: "A") } }
    }
    #expect(try items() == before)
  }

  @Test
  func `live queries, live rows and changes see an update`() async throws {
    let query = database.query(Item.where { $0.count == 0 }).recorded()
    let row = try database.live(Item.self, id: 2).recorded()
    let changes = database.changes.recorded()
    try await query.wait { $0.count == 1 }
    try await database.write { transaction in
      try transaction.updateAll(Item.where { $0.id <= 3 }) { $0.count.set(to: 0) }
    }
    try await query.wait { $0.last?.map(\.id) == [1, 2, 3] }
    #expect(row.elements.last??.count == 0)
    #expect(changes.elements.first?["item"].updated == [1, 2, 3])
  }

  @Test
  func `random updates equal a change of an array`() throws {
    var chance = Chance(seed: 2_027)
    var expected = try items()
    for _ in 0..<100 {
      let (limit, value) = (chance.number(below: 8), chance.number(below: 8))
      let note = chance.once(in: 2) ? "x" : nil
      let count = try database.write { transaction in
        try transaction.updateAll(Item.where { $0.count < limit && $0.id != value }) {
          $0.count.set(to: value)
          $0.note.set(to: note)
        }
      }
      let places = expected.indices.filter { expected[$0].count < limit && expected[$0].id != value }
      for place in places {
        expected[place].count = value
        expected[place].note = note
      }
      #expect(count == places.count)
      #expect(try items() == expected)
    }
  }
}

private struct Item: StoreModel, Equatable {
  static let table = TableSpec("item")
  var id: Int
  var name: String
  var count: Int
  var other = 7
  var big: UInt64 = 0
  var weight = 0.0
  var price: Decimal = 1
  var note: String?

  var upper: String { name.uppercased() }
}
