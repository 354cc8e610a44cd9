import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Decimal columns", .seeded)
struct DecimalTests {
  struct Item: StoreModel, Equatable {
    static let table = TableSpec("item", indexes: ["price"])
    var id: Int
    var price: Decimal
    var discount: Decimal?
  }

  struct Listed: StoreModel {
    static let table = TableSpec("listed", columns: [TableColumn("id", .integer), TableColumn("price", .text)])
    var id: Int
    var price: Decimal
  }

  struct Nested: StoreModel, Equatable {
    static let table = TableSpec("nested")
    struct Offer: Codable, Equatable {
      var name: String
      var price: Decimal?
    }
    var id: Int
    var offer: Offer
  }

  let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Item.self, Listed.self, Nested.self]))
  }

  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  private func ids(_ query: Query<Item>) throws -> [Int] { try database.read { try $0.all(query).map(\.id) } }

  @Test func `decimals are compared and sorted as numbers, not as text`() throws {
    let texts = ["-100", "-9", "-0.5", "0", "0.05", "0.5", "9", "9.5", "10", "100", "123456789012345678901234567890"]
    var chance = Chance()
    for (id, text) in texts.enumerated().shuffled(using: &chance) {
      try database.write { try $0.put(Item(id: id, price: try decimal(text))) }
    }
    #expect(try ids(Item.ordered { $0.price }) == Array(texts.indices))
    #expect(try ids(Item.ordered(.descending) { $0.price }) == texts.indices.reversed())
    #expect(try ids(Item.where { $0.price < Decimal(50) }.ordered { $0.price }) == Array(0...8))
    #expect(try ids(Item.where { $0.price >= 9.5 }.ordered { $0.id }) == Array(7...10))
    #expect(try ids(Item.where { $0.price <= -9 }.ordered { $0.id }) == [0, 1])
    #expect(try ids(Item.where { $0.price == Decimal(10) }) == [8])
    #expect(try ids(Item.where { $0.price != 10 }.ordered { $0.price }).count == texts.count - 1)
    #expect(try ids(Item.where { $0.price.isIn([9, 10, 100]) }.ordered { $0.price }) == [6, 8, 9])
    let largest = try database.read { try $0.value("SELECT max(price COLLATE signals_decimal) FROM item") }
    #expect(largest == "123456789012345678901234567890")
  }

  @Test func `optional decimals sort nil first, and compare like others`() throws {
    try database.write { transaction in
      for (id, discount) in [nil, 100, 9, 10].enumerated() as EnumeratedSequence<[Decimal?]> {
        try transaction.put(Item(id: id, price: 1, discount: discount))
      }
    }
    #expect(try ids(Item.ordered { $0.discount }) == [0, 2, 3, 1])
    #expect(try ids(Item.where { $0.discount < 50 }.ordered { $0.id }) == [2, 3])
    #expect(try ids(Item.where { $0.discount.isIn([nil, 10]) }.ordered { $0.id }) == [0, 3])
    #expect(try ids(Item.where { $0.discount == nil }) == [0])
  }

  @Test func `decimals are equal however another program has spelled them`() throws {
    try database.write { transaction in
      for (id, text) in ["1.50", "15e-1", "+01.5", "1.5", "0.15E1", "1.51"].enumerated() {
        try transaction.execute("INSERT INTO item (id, price) VALUES (?, ?)", id, text)
      }
    }
    let price = try decimal("1.5")
    #expect(try ids(Item.where { $0.price == price }.ordered { $0.id }) == Array(0...4))
    #expect(
      try database.read { try $0.all(Item.where { $0.price < 1.51 }).map(\.price) } == Array(repeating: 1.5, count: 5)
    )
  }

  @Test func `NaN is rejected with the column and the remedy`() throws {
    let error = databaseError { try database.write { try $0.put(Item(id: 1, price: .nan)) } }
    guard case .model(.unencodable("item", "price", _), _) = error else { return recordUnexpected(error) }
    #expect("\(try #require(error))".contains("optional"))
    let nested = databaseError {
      try database.write { try $0.put(Nested(id: 1, offer: .init(name: "NaN", price: .nan))) }
    }
    guard case .model(.unencodable("nested", "offer", _), _) = nested else { return recordUnexpected(nested) }
    let kept = Nested(id: 1, offer: .init(name: "NaN", price: 2))
    try database.write { try $0.put(kept) }
    #expect(try database.read { try $0.all(Nested.self) } == [kept])
    let query = databaseError { try ids(Item.where { $0.price == Decimal.nan }) }
    guard case .model(.unfitValue("item", "price", .decimal, _), _) = query else { return recordUnexpected(query) }
  }

  @Test func `a stored NaN does not hide other rows, and a text that is not a number is an error`() throws {
    try database.write { transaction in
      try transaction.execute("INSERT INTO item (id, price) VALUES (1, 'NaN')")
      try transaction.put(Item(id: 2, price: 3))
    }
    let items = try database.read { try $0.all(Item.ordered { $0.price }) }
    #expect(items.map(\.id) == [1, 2] && items[0].price.isNaN && items[1].price == 3)
    try database.write { try $0.execute("UPDATE item SET price = '12 or so' WHERE id = 1") }
    let error = databaseError { try database.read { try $0.all(Item.self) } }
    guard case .model(.undecodable("item", "price", "1", _), _) = error else { return recordUnexpected(error) }
  }

  @Test(arguments: [("1e999", "out of the range"), ("-1e999", "out of the range"), ("inf", "not a number")])
  func `a text without a Decimal is an error with the reason`(text: String, reason: String) throws {
    try database.write { try $0.execute("INSERT INTO item (id, price) VALUES (1, ?)", text) }
    let error = databaseError { try database.read { try $0.all(Item.self) } }
    guard case .model(.undecodable("item", "price", "1", let found), _) = error else { return recordUnexpected(error) }
    #expect(found.contains(reason))
  }

  @Test func `decimals listed as text columns are rejected with the remedy`() throws {
    let error = databaseError { try database.write { try $0.put(Listed(id: 1, price: 1)) } }
    guard case .model(.unencodable("listed", "price", let reason), _) = error else { return recordUnexpected(error) }
    #expect(reason.contains("list it as decimal"))
  }

  @Test func `decimal columns have the same storage as in earlier versions`() throws {
    #expect(try Item.columns.map(\.type) == [.integer, .decimal, .decimal])
    let columns = try database.read { try $0.value("SELECT columns FROM signals_schema WHERE name = 'item'") }
    #expect(columns.stringValue?.contains("price text required\ndiscount text") == true)
  }

  @Test func `random decimals sort as in Foundation`() throws {
    for seed in 0..<20 {
      var chance = Chance(seed: UInt64(seed))
      let numbers = (0..<50).map { _ in
        let digits = Decimal(Int64(bitPattern: chance.next()) >> Int64(chance.number(below: 60)))
        return Decimal(sign: .plus, exponent: chance.number(below: 40) - 20, significand: digits)
      }
      try database.write { transaction in
        try transaction.deleteAll(Item.self)
        for (id, number) in numbers.enumerated() { try transaction.put(Item(id: id, price: number)) }
      }
      let sorted = try database.read { try $0.all(Item.ordered { $0.price }) }
      #expect(sorted.map(\.price) == numbers.sorted(), "seed \(seed)")
    }
  }
}
