import Foundation
import Signals
import Stores
import TestSupport
import Testing

@Suite("Rows: conflicts of writers", .patient)
struct RowConflictTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func editors() async throws -> CardEditors {
    try await CardEditors(opening: "card-database \(directory.file("cards.sqlite").path)")
  }

  @Test
  func `three processes that edit different fields of a row lose none`() async throws {
    let count = Scale.count(30, torture: 1000)
    let (card, merges) = try await editors().edit(count)
    #expect(card == "\(count) \(count) \(count)")
    #expect(merges == ["0", "1", "1"])
  }

  @Test
  func `a row that another process has changed or deleted since it was read is not replaced`() async throws {
    let editors = try await editors()
    let (error, card) = try await editors.collide()
    #expect(error?.contains("was changed by another writer") == true)
    #expect(card == "1 0 0")
    try await editors.peers[1].process.send("card-delete")
    do {
      try await editors.peers[2].process.send("card-edit color 1")
      Issue.record("a deleted row was written")
    } catch PeerProcess.Failure.refused(_, let answer) {
      #expect(answer.contains("was deleted by another writer"))
    }
  }

  private struct Item: StoreModel, Equatable {
    static let table = TableSpec("item")
    var id: Int
    var name = ""
    var count = 0
  }

  @Test
  func `a conflict undoes the transaction, and a merge may move the row`() throws {
    let database = try Database(.memory, schema: Schema(version: 1, models: [Item.self]))
    let base = Item(id: 1)
    try database.write { try $0.put([base, Item(id: 3)]) }
    try database.write { _ = try $0.update(Item.self, id: 1) { $0.count = 5 } }
    #expect(throws: WriteConflict<Item>(stored: Item(id: 1, count: 5))) {
      try database.write { transaction in
        try transaction.put(Item(id: 2))
        try transaction.put(Item(id: 1, name: "mine"), basedOn: base)
      }
    }
    #expect(try database.read { try $0.find(Item.self, id: 2) } == nil)
    let moved = try database.write { transaction in
      try transaction.put(Item(id: 4, name: "mine"), basedOn: base) { _, mine, stored in
        Item(id: mine.id, name: mine.name, count: stored.count)
      }
    }
    #expect(moved == Item(id: 4, name: "mine", count: 5))
    #expect(try database.read { try $0.all(Item.where { $0.id != 3 }) } == [moved])
  }
}
