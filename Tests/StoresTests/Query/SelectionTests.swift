import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Selections and aggregates")
struct SelectionTests {
  private let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Sale.self]))
    let day = Date(timeIntervalSinceReferenceDate: 9)
    try database.write { transaction in
      try transaction.put([
        Sale(id: 1, city: "Rome", amount: 5, weight: 1.5, price: 10, note: "a"),
        Sale(id: 2, city: "Oslo", amount: 3, weight: 2.5, price: 9.5, note: nil),
        Sale(id: 3, city: "Rome", amount: -1, weight: 0.25, price: 100, note: "b", day: day),
        Sale(id: 4, city: "Cairo", amount: 7, weight: 4, price: 2, note: "a"),
      ])
    }
  }

  private func all<Output>(_ selection: Selection<Sale, Output>) throws -> [Output] {
    try database.read { try $0.all(selection) }
  }

  @Test
  func `a selection of one property has its values, and one of several has tuples`() throws {
    #expect(try all(Sale.ordered { $0.id }.select { $0.city }) == ["Rome", "Oslo", "Rome", "Cairo"])
    #expect(try all(Sale.where { $0.amount > 0 }.ordered { $0.amount }.select { $0.note }) == [nil, "a", "a"])
    let rows = try all(Sale.ordered(.descending) { $0.price }.limit(2).select { ($0.id, $0.price, $0.day, $0.tags) })
    #expect(rows.map(\.0) == [3, 1])
    #expect(rows.map(\.1) == [100, 10])
    #expect(rows.map(\.2) == [Date(timeIntervalSinceReferenceDate: 9), nil])
    #expect(rows.map(\.3) == [["x"], ["x"]])
  }

  @Test
  func `order and limit of a selection apply after those of its query`() throws {
    let descending = Sale.ordered(.descending) { $0.amount }
    #expect(try all(descending.select { $0.id }.limit(2)) == [4, 1])
    #expect(try database.read { try $0.first(descending.select { $0.id }) } == 4)
    #expect(try all(descending.limit(3).select { $0.id }.limit(2)) == [4, 1])
    #expect(try all(descending.limit(1).select { $0.id }.limit(2)) == [4])
    #expect(try all(descending.limit(3).select { $0.id }.ordered { $0.id }) == [1, 2, 4])
    #expect(try all(descending.select { $0.id }.ordered { $0.city }) == [4, 2, 1, 3])
    #expect(try all(descending.limit(3).select { $0.city }.distinct()) == ["Cairo", "Oslo", "Rome"])
    #expect(try all(Sale.select { $0.city }.ordered(.descending) { $0.amount.sum() }) == ["Cairo", "Rome", "Oslo"])
  }

  @Test
  func `aggregates of all rows are one row`() throws {
    let everything = Sale.select {
      ($0.id.count(), $0.amount.sum(), $0.amount.min(), $0.price.max(), $0.weight.average())
    }
    let (count, sum, least, most, average) = try #require(try all(everything).first)
    #expect(count == 4 && sum == 14 && least == -1 && most == 100 && average == 2.0625)
    #expect(try all(Sale.select { ($0.note.count(), $0.note.distinctCount()) }).map { [$0.0, $0.1] } == [[3, 2]])
    let nothing = Sale.where { $0.id > 9 }.select {
      ($0.id.count(), $0.amount.sum(), $0.weight.sum(), $0.price.min(), $0.note.max())
    }
    let none = try #require(try all(nothing).first)
    #expect(none.0 == 0 && none.1 == 0 && none.2 == 0 && none.3 == nil && none.4 == nil)
  }

  @Test
  func `columns beside aggregates are groups`() throws {
    let cities = try all(Sale.select { ($0.city, $0.id.count(), $0.amount.sum()) })
    #expect(cities.map(\.0) == ["Cairo", "Oslo", "Rome"])
    #expect(cities.map(\.1) == [1, 1, 2])
    #expect(cities.map(\.2) == [7, 3, 4])
    let largest = Sale.select { ($0.city, $0.amount.sum()) }.ordered(.descending) { $0.amount.sum() }.limit(2)
    #expect(try all(largest).map(\.0) == ["Cairo", "Rome"])
  }

  @Test
  func `the query's limit applies before the rows are grouped`() throws {
    let query = Sale.ordered(.descending) { $0.amount }.limit(2)
    #expect(try all(query.select { $0.amount.sum() }) == [12])
    #expect(try database.read { try $0.sum(query) { $0.amount } } == 12)
    let raw = Query<Sale>(sql: "SELECT * FROM sale WHERE amount > ?", 0)
    #expect(try all(raw.where { $0.city != "Oslo" }.select { ($0.city, $0.id.count()) }).map(\.0) == ["Cairo", "Rome"])
  }

  @Test
  func `decimals are compared exactly, and equal ones are one value`() throws {
    try database.write { transaction in
      try transaction.execute("UPDATE sale SET price = '9.50' WHERE id = 4")
    }
    #expect(try database.read { try $0.min(Query<Sale>()) { $0.price } } == 9.5)
    #expect(try database.read { try $0.max(Query<Sale>()) { $0.price } } == 100)
    #expect(try database.read { try $0.all(Sale.select { $0.price }.distinct()) } == [9.5, 10, 100])
  }

  @Test
  func `single aggregates are read by one call`() throws {
    try database.read { transaction in
      let all = Query<Sale>()
      let sum = try transaction.sum(all) { $0.amount }
      #expect(sum == 14)
      let weight = try transaction.sum(all) { $0.weight }
      #expect(weight == 8.25)
      let noSum = try transaction.sum(all) { $0.rating }
      #expect(noSum == 0)
      let noAverage = try transaction.average(all) { $0.rating }
      #expect(noAverage == nil)
      let average = try transaction.average(all) { $0.amount }
      #expect(average == 3.5)
      let first = try transaction.min(all) { $0.city }
      #expect(first == "Cairo")
      let most = try transaction.max(Sale.where { $0.city == "Rome" }) { $0.amount }
      #expect(most == 5)
      let cities = try transaction.all(all.select { $0.city }.distinct())
      #expect(cities == ["Cairo", "Oslo", "Rome"])
      let notes = try transaction.all(all.select { $0.note }.distinct())
      #expect(notes == [nil, "a", "b"])
    }
  }

  @Test
  func `a sum that exceeds an integer is an error`() throws {
    try database.write { try $0.updateAll(Sale.where { $0.id <= 2 }) { $0.amount.set(to: .max) } }
    #expect(throws: DatabaseError.self) { try database.read { try $0.sum(Query<Sale>()) { $0.amount } } }
  }

  @Test
  func `a sum of opposite infinities is an error, and not that of no rows`() throws {
    let all = Query<Sale>()
    try database.write { try $0.updateAll(Sale.where { $0.id == 1 }) { $0.weight.set(to: Double.infinity) } }
    #expect(try database.read { try $0.sum(all) { $0.weight } } == Double.infinity)
    try database.write { try $0.updateAll(Sale.where { $0.id == 2 }) { $0.weight.set(to: -Double.infinity) } }
    let error = databaseError { try database.read { try $0.sum(all) { $0.weight } } }
    guard case .model(.undecodable("sale", "weight", nil, let reason), _) = error else {
      return recordUnexpected(error)
    }
    #expect(reason == "it holds NaN, not a number")
    #expect(try database.read { try $0.average(all) { $0.weight } } == nil)
    let none = Sale.where { $0.id > 9 }
    #expect(try database.read { try $0.sum(none) { $0.weight } } == 0)
    #expect(try database.read { try $0.average(none) { $0.weight } } == nil)
  }

  @Test
  func `a computed property cannot be selected`() {
    #expect(throws: DatabaseError.self) { try all(Sale.select { $0.upper }) }
    #expect(throws: DatabaseError.self) { try all(Sale.select { $0.upper.count() }) }
  }

  @Test
  func `a projection reads the columns that another type has`() throws {
    let cities = try database.read { try $0.all(Sale.where { $0.amount > 0 }.ordered { $0.id }, as: Amount.self) }
    #expect(cities.map(\.city) == ["Rome", "Oslo", "Cairo"] && cities.map(\.amount) == [5, 3, 7])
    #expect(throws: DatabaseError.self) { try database.read { try $0.all(Query<Sale>(), as: Wrong.self) } }
    #expect(throws: DatabaseError.self) { try database.read { try $0.all(Query<Sale>(), as: Int.self) } }
  }

  @Test
  func `free SQL is decoded as any type`() throws {
    try database.read { transaction in
      #expect(try transaction.all("SELECT city FROM sale ORDER BY id LIMIT ?", 2, as: String.self) == ["Rome", "Oslo"])
      #expect(try transaction.all("SELECT note FROM sale ORDER BY id LIMIT 2", as: String?.self) == ["a", nil])
      #expect(try transaction.all("SELECT price FROM sale WHERE id = 2", as: Decimal.self) == [9.5])
      #expect(try transaction.all("SELECT tags FROM sale WHERE id = 2", as: [String].self) == [["x"]])
      #expect(try transaction.all("SELECT 1 WHERE 0", as: Int.self) == [])
      let amounts = try transaction.all(
        "SELECT SUM(amount) AS amount, 7 AS more, city FROM sale GROUP BY city ORDER BY city", as: Amount.self)
      #expect(amounts.map(\.amount) == [7, 3, 4])
      let missing = #expect(throws: DatabaseError.self) {
        try transaction.all("SELECT city FROM sale", as: Amount.self)
      }
      #expect("\(try #require(missing))".contains("amount"))
      #expect(throws: DatabaseError.self) { try transaction.all("SELECT NULL", as: Int.self) }
      #expect(throws: DatabaseError.self) { try transaction.all("DELETE FROM sale", as: Int.self) }
    }
  }

  @Test
  func `random groups equal the groups of an array`() throws {
    var chance = Chance(seed: 2_028)
    for _ in 0..<30 {
      let sales = (0..<chance.number(below: 40)).map { id in
        Sale(
          id: id, city: ["Rome", "Oslo", "Łódź", ""].randomElement(using: &chance) ?? "",
          amount: chance.number(below: 9), weight: Double(chance.number(below: 9)), price: 1,
          note: chance.once(in: 2) ? nil : "n")
      }
      try database.write { transaction in
        try transaction.deleteAll(Sale.self)
        try transaction.put(sales)
      }
      let limit = chance.number(below: 9)
      let kept = sales.filter { $0.amount < limit }
      let groups = Dictionary(grouping: kept, by: \.city)
      let selection = Sale.where { $0.amount < limit }.select {
        ($0.city, $0.id.count(), $0.amount.sum(), $0.note.count(), $0.weight.max())
      }
      let found = try all(selection)
      #expect(found.map(\.0) == groups.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      for (city, count, sum, notes, weight) in found {
        let group = groups[city] ?? []
        #expect(count == group.count && sum == group.map(\.amount).reduce(0, +))
        #expect(notes == group.compactMap(\.note).count && weight == group.map(\.weight).max())
      }
    }
  }
}

private struct Sale: StoreModel, Equatable {
  static let table = TableSpec("sale")
  // Invented rows have no elements in their arrays.
  static var columnNames: [PartialKeyPath<Sale>: String] { [\.tags: "tags"] }
  var id: Int
  var city: String
  var amount: Int
  var weight: Double
  var price: Decimal
  var note: String?
  var day: Date?
  var rating: Int?
  var tags = ["x"]

  var upper: String { city.uppercased() }
}

private struct Amount: Decodable {
  var amount: Int
  var city: String
}

private struct Wrong: Decodable {
  var town: String
}
