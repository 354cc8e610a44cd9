import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Relations")
struct RelationTests {
  private let database: Database

  init() throws {
    database = try Database(
      .memory, schema: Schema(version: 1, models: [Author.self, Book.self, Sheet.self, Label.self, Note.self]))
    try database.write { transaction in
      try transaction.put([Author(id: 1, name: "Ada"), Author(id: 2, name: "Bob"), Author(id: 3, name: "Cleo")])
      try transaction.put([
        Book(id: 1, title: "Engines", authorID: 1), Book(id: 2, title: "Bees", authorID: 1),
        Book(id: 3, title: "Nile", authorID: 3), Book(id: 4, title: "Anonymous", authorID: nil),
        Book(id: 5, title: "Lost", authorID: 99), Book(id: 6, title: "Ants", authorID: 1, isDraft: true),
      ])
      try transaction.put((1...12).map { Sheet(id: UUID(), bookID: 1 + $0 % 3, number: $0) })
    }
  }

  @Test
  func `the children of rows are read together, in the order of the relation`() throws {
    try database.read { transaction in
      let authors = try transaction.all(Author.self)
      let books = try transaction.all(Author.books, of: authors)
      #expect(books.mapValues { $0.map(\.title) } == [1: ["Ants", "Bees", "Engines"], 2: [], 3: ["Nile"]])
      let published = Author.books.where { $0.isDraft == false }
      #expect(try transaction.all(published, of: authors)[1]?.map(\.title) == ["Bees", "Engines"])
      #expect(try transaction.all(Author.books, of: authors.prefix(0)).isEmpty)
      let pages = try transaction.all(Book.pages, of: books.values.joined())
      #expect(pages[1]?.map(\.number) == [3, 6, 9, 12])
    }
  }

  @Test
  func `a limit counts for each parent`() throws {
    try database.read { transaction in
      let authors = try transaction.all(Author.self)
      let first = try transaction.all(Author.books.limit(2), of: authors)
      #expect(first.mapValues { $0.map(\.title) } == [1: ["Ants", "Bees"], 2: [], 3: ["Nile"]])
      #expect(try transaction.all(Author.books.limit(0), of: authors).values.allSatisfy(\.isEmpty))
      let last = HasMany<Book, Sheet>(\.bookID).ordered(.descending) { $0.number }.limit(1)
      let books = try transaction.all(Book.self)
      #expect(try transaction.all(last, of: books).compactMapValues(\.first?.number) == [1: 12, 2: 10, 3: 11])
    }
  }

  @Test
  func `the parents of rows are read together, and missing ones are left out`() throws {
    try database.read { transaction in
      let books = try transaction.all(Book.self)
      let authors = try transaction.all(Book.author, of: books)
      #expect(authors.mapValues(\.name) == [1: "Ada", 3: "Cleo"])
      #expect(try transaction.all(Book.author, of: books.filter { $0.authorID == nil }).isEmpty)
    }
  }

  @Test
  func `keys may be any text, and there may be any number of them`() throws {
    let names = ["a", "\"quoted\"", "back\\slash", "line\nbreak", "Łódź", "e\u{301}", "😀", "tab\tand\u{1}", ""]
    let many = (0..<40_000).map { "key \($0)" }
    try database.write { transaction in
      for name in names + many { try transaction.put(Label(id: name)) }
      for (number, name) in (names + many).enumerated() {
        try transaction.put(Note(id: Int64.max - Int64(number), label: name))
      }
    }
    try database.read { transaction in
      let labels = try transaction.all(Label.self)
      let notes = try transaction.all(Label.notes, of: labels)
      #expect(notes.count == labels.count)
      #expect(notes.values.allSatisfy { $0.count == 1 })
      #expect(try transaction.all(Note.name, of: notes.values.joined()).count == labels.count)
      let ids = try transaction.all(Note.self).map(\.id)
      #expect(try transaction.count(Note.where { $0.id.isIn(ids) }) == ids.count)
      #expect(try transaction.count(Label.where { $0.id.isIn(names) }) == names.count)
      let missing = (0..<20).map { "\(names[0])\0\($0)" }
      #expect(try transaction.count(Label.where { $0.id.isIn(missing) }) == 0)
    }
  }

  @Test
  func `a relation is live in a query of its children`() async throws {
    let books = database.query(Book.where { $0.authorID.isIn([2]) }).recorded()
    try await books.wait { $0.count == 1 }
    try await database.write { try $0.put(Book(id: 9, title: "New", authorID: 2)) }
    try await books.wait { $0.last?.map(\.title) == ["New"] }
  }

  @Test
  func `a computed key is an error`() throws {
    let wrong = HasMany<Author, Book>(\.wrongID)
    #expect(throws: DatabaseError.self) {
      try database.read { try $0.all(wrong, of: [Author(id: 1, name: "")]) }
    }
  }

  @Test
  func `the relations that a model lists are checked when a database is opened`() throws {
    let models: [any StoreModel.Type] = [WrongKey.self, WrongOrder.self, WrongCondition.self, WrongLimit.self]
    for model in models {
      let error = #expect(throws: DatabaseError.self) {
        try Database(.memory, schema: Schema(version: 1, models: [model, Book.self]))
      }
      guard case .model(.notAColumn("book", _, _), _)? = error else {
        Issue.record("\(model): \(String(describing: error))")
        continue
      }
    }
    #expect(throws: Never.self) { try Database(.memory, schema: Schema(version: 1, models: [Right.self, Book.self])) }
  }
}

private struct WrongKey: StoreModel {
  static let table = TableSpec("wrong")
  static var relations: [any ModelRelation] { [HasMany<Self, Book>(\.wrongID)] }
  var id: Int
}

private struct WrongOrder: StoreModel {
  static let table = TableSpec("wrong")
  static var relations: [any ModelRelation] { [HasMany<Self, Book>(\.authorID).ordered { $0.wrongID }] }
  var id: Int
}

private struct WrongCondition: StoreModel {
  static let table = TableSpec("wrong")
  static var relations: [any ModelRelation] { [HasMany<Self, Book>(\.authorID).where { $0.wrongID > 1 }] }
  var id: Int
}

private struct WrongLimit: StoreModel {
  static let table = TableSpec("wrong")
  static var relations: [any ModelRelation] { [HasMany<Self, Book>(\.wrongID).limit(1)] }
  var id: Int
}

private struct Right: StoreModel {
  static let table = TableSpec("right")
  static var relations: [any ModelRelation] {
    [HasMany<Self, Book>(\.authorID).where { $0.isDraft == false }.limit(3), Book.author]
  }
  var id: Int
}

private struct Author: StoreModel, Equatable {
  static let table = TableSpec("author")
  static let books = HasMany<Author, Book>(\.authorID).ordered { $0.title }
  var id: Int
  var name: String
}

private struct Book: StoreModel, Equatable {
  static let table = TableSpec("book", indexes: ["authorID"])
  static let author = BelongsTo<Book, Author>(\.authorID)
  static let pages = HasMany<Book, Sheet>(\.bookID).ordered { $0.number }
  var id: Int
  var title: String
  var authorID: Int?
  var isDraft = false

  var wrongID: Int { id * 2 }
}

private struct Sheet: StoreModel, Equatable {
  static let table = TableSpec("sheet")
  var id: UUID
  var bookID: Int
  var number: Int
}

private struct Label: StoreModel, Equatable {
  static let table = TableSpec("label")
  static let notes = HasMany<Label, Note>(\.label)
  var id: String
}

private struct Note: StoreModel, Equatable {
  static let table = TableSpec("note")
  static let name = BelongsTo<Note, Label>(\.label)
  var id: Int64
  var label: String
}
