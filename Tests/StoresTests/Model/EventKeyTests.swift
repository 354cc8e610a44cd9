import AppGroups
import Foundation
import Signals
import Stores
import TestSupport
import Testing

private struct Sale: StoreModel, Equatable {
  static let table = TableSpec("sale")
  let id: LogEventID
  var cause: LogEventID?
  var text: String
}

@Suite("Identities of events as keys", .patient)
struct EventKeyTests {
  let database: Database
  let producer = UUID()

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Sale.self]))
  }

  private func id(_ sequence: UInt64) -> LogEventID { LogEventID(producer: producer, sequence: sequence) }

  @Test func `the identity of an event is a key, stored as text`() throws {
    let sales = [
      Sale(id: id(9), text: "tea"), Sale(id: id(10), cause: id(9), text: "bread"),
      Sale(id: id(.max), cause: id(10), text: "salt"),
    ]
    try database.write { try $0.put(sales) }
    try database.read { transaction throws in
      for sale in sales { #expect(try transaction.find(Sale.self, id: sale.id) == sale) }
      #expect(try transaction.find(Sale.self, id: id(1)) == nil)
      #expect(try transaction.find(Sale.self, id: LogEventID(producer: UUID(), sequence: 9)) == nil)
      #expect(try transaction.first(Sale.where { $0.cause == id(9) }) == sales[1])
      let some = Sale.where { $0.id.isIn([id(9), id(.max)]) }.ordered { $0.text }
      #expect(try transaction.all(some).map(\.text) == ["salt", "tea"])
      #expect(try transaction.all(Sale.select { $0.id }).count == 3)
      #expect(
        try transaction.value("SELECT id FROM sale WHERE text = 'tea'") == .text("\(producer.uuidString)/9"))
    }
  }

  @Test func `an event that arrives again is the same row`() throws {
    let sale = Sale(id: id(7), text: "tea")
    try database.write { transaction throws in
      #expect(try transaction.find(Sale.self, id: sale.id) == nil)
      try transaction.put(sale)
      #expect(try transaction.find(Sale.self, id: sale.id) == sale)
      try transaction.put(Sale(id: sale.id, text: "tea, again"))
      #expect(try transaction.all(Sale.self) == [Sale(id: sale.id, text: "tea, again")])
      #expect(try transaction.delete(Sale.self, id: sale.id))
    }
  }

  @Test func `live rows and queries follow a row whose key is the identity of an event`() async throws {
    let row = try database.live(Sale.self, id: id(7))
    let query = database.query(Sale.where { $0.id == id(7) })
    let found = query.recorded()
    #expect(row.value == nil)
    try await database.write { try $0.put(Sale(id: id(7), text: "tea")) }
    try await database.write { try $0.put(Sale(id: id(8), text: "bread")) }
    #expect(row.value?.text == "tea" && found.elements.last?.map(\.text) == ["tea"])
  }

  @Test(arguments: ["7", "/7", "x/7", "%/", "%/-7", "%/07", "%/7/", "%/7 ", "%/18446744073709551616"])
  func `text that is not the identity of an event is reported`(pattern: String) throws {
    let text = pattern.replacing("%", with: producer.uuidString)
    #expect(LogEventID(text) == nil && LogEventID(sqliteValue: .text(text)) == nil)
    try database.write { try $0.execute("INSERT INTO sale VALUES (?, NULL, 'tea')", text) }
    let error = try #require(throws: DatabaseError.self) { try database.read { try $0.all(Sale.self) } }
    #expect(error.description.contains("identity of an event"))
  }

  @Test func `the text of an identity is read as the same identity`() {
    #expect(LogEventID("\(id(7))") == id(7))
    #expect(LogEventID("\(id(7))".lowercased()) == nil, "an identity has one text")
  }
}
