import Foundation
import TestSupport
import Testing

@testable import Stores

private struct Shelf: StoreModel, Hashable {
  static let table = TableSpec("shelf", collations: ["id": .nocase])
  var id: String
  var label: String
}

private struct Book: StoreModel, Hashable {
  static let table = TableSpec(
    "book", foreignKeys: [ForeignKey("shelfID", references: "shelf", onDelete: .cascade)],
    collations: ["shelfID": .nocase])
  var id: Int
  var shelfID: String
}

/// SQLite finds keys equal that Swift does not, if their column has a collation.
@Suite("Keys with a collation", .patient)
struct CollatedKeyTests {
  let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Shelf.self, Book.self]))
    try database.write { transaction throws in
      try transaction.put(Shelf(id: "a", label: "old"))
      try transaction.put([Book(id: 1, shelfID: "a"), Book(id: 2, shelfID: "A")])
    }
  }

  @Test func `updating a row by an equal key changes it in place`() throws {
    try database.write { transaction throws in
      let shelf = try transaction.update(Shelf.self, id: "A") { $0.label = "new" }
      #expect(shelf == Shelf(id: "a", label: "new"))
      #expect(try transaction.all(Shelf.self) == [Shelf(id: "a", label: "new")])
      #expect(try transaction.count(Book.self) == 2, "no row that refers to it is deleted")
    }
  }

  @Test func `updating the key of a row to an equal one changes it in place`() throws {
    try database.write { transaction throws in
      #expect(try transaction.update(Shelf.self, id: "a") { $0.id = "A" } == Shelf(id: "A", label: "old"))
      #expect(try transaction.all(Shelf.self).map(\.id) == ["A"])
    }
  }

  @Test func `a row that is put is read as it was put`() throws {
    try database.write { transaction throws in
      try transaction.put(Shelf(id: "A", label: "new"))
      #expect(try transaction.all(Shelf.self) == [Shelf(id: "A", label: "new")])
      #expect(try transaction.count(Book.self) == 2)
    }
  }

  @Test func `a live object of an equal key is read and updated`() throws {
    let object = try database.live(Shelf.self, id: "A")
    #expect(object.value == Shelf(id: "a", label: "old"))
    try object.update { $0.label = "new" }
    #expect(object.value == Shelf(id: "a", label: "new"))
    try database.write { try $0.put(Shelf(id: "A", label: "newer")) }
    #expect(object.value == Shelf(id: "A", label: "newer"))
  }

  @Test func `relations join rows whose keys SQLite finds equal`() throws {
    try database.read { transaction throws in
      let shelf = try #require(try transaction.find(Shelf.self, id: "A"))
      let books = try transaction.all(HasMany<Shelf, Book>(\.shelfID), of: [shelf])
      #expect(books.mapValues { $0.map(\.id).sorted() } == ["a": [1, 2]])
      let all = try transaction.all(Book.self)
      let shelves = try transaction.all(BelongsTo<Book, Shelf>(\.shelfID), of: all)
      #expect(all.map { shelves[$0.shelfID]?.id } == ["a", "a"])
    }
  }
}
