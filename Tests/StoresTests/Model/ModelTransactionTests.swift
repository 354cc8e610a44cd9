import Foundation
import Signals
import SignalsTesting
@testable import Stores
import TestSupport
import Testing

@Suite("Models in transactions")
struct ModelTransactionTests {
  private let database: Database

  init() throws {
    database = try Database(.memory, schema: Schema(version: 1, models: [Person.self, Item.self]))
  }

  @Test
  func `models can be put, found, counted, updated and deleted`() throws {
    #expect(database.schemaOutcome == .created)
    try database.write { transaction throws in
      try transaction.put(Person(id: 1, name: "Ada", age: 36))
      try transaction.put([Person(id: 2, name: "Bob", age: 17), Person(id: 3, name: "Cleo", age: 20)])
      #expect(try transaction.find(Person.self, id: 2)?.name == "Bob", "a write sees what it has written")
    }
    try database.read { transaction throws in
      #expect(try transaction.all(Person.self).count == 3)
      #expect(try transaction.first(Person.ordered { $0.age })?.name == "Bob")
      #expect(try transaction.first(Person.ordered { $0.age }.limit(0)) == nil)
      #expect(try transaction.count(Person.where { $0.age < 30 }) == 2)
      #expect(try transaction.find(Person.self, id: 9) == nil)
    }
    try database.write { transaction throws in
      #expect(try transaction.update(Person.self, id: 2) { $0.age += 1 }?.age == 18)
      #expect(try transaction.update(Person.self, id: 9) { $0.age += 1 } == nil)
      #expect(try transaction.update(Person.self, id: 3) { $0.id = 4 }?.id == 4)
      #expect(try transaction.find(Person.self, id: 3) == nil)
      #expect(try transaction.delete(Person.self, id: 1))
      #expect(try !transaction.delete(Person.self, id: 1))
      #expect(try transaction.deleteAll(Person.where { $0.age == 18 }) == 1)
      #expect(try transaction.deleteAll(Person.self) == 1)
      #expect(try transaction.deleteAll(Person.self) == 0)
      #expect(try transaction.count(Person.self) == 0)
    }
  }

  @Test
  func `a write that throws stores nothing`() throws {
    struct Mistake: Error {}
    #expect(throws: Mistake.self) {
      try database.write { transaction throws in
        try transaction.put(Person(id: 1, name: "Ada", age: 36))
        throw Mistake()
      }
    }
    #expect(try database.read { try $0.count(Person.self) } == 0)
  }

  @Test
  func `a row with a duplicate unique value is rejected, and the other one stays`() throws {
    try database.write { try $0.put(Person(id: 1, name: "Ada", age: 36)) }
    let error = try #require(throws: DatabaseError.self) {
      try database.write { try $0.put(Person(id: 2, name: "Ada", age: 1)) }
    }
    guard case .constraint(let failure) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(failure.table == "person" && failure.columns == ["name"])
    #expect(try database.read { try $0.all(Person.self) } == [Person(id: 1, name: "Ada", age: 36)])
  }

  @Test
  func `a row keeps its key if it cannot move`() throws {
    let people = [Person(id: 1, name: "Ada", age: 36), Person(id: 2, name: "Bob", age: 17)]
    try database.write { try $0.put(people) }
    let changes = Kept<ChangeSet>()
    let subscription = database.changes.sink { changes.keep($0) }
    try database.write { transaction throws in
      #expect(throws: DatabaseError.self) {
        try transaction.update(Person.self, id: 1) {
          $0.id = 3
          $0.name = "Bob"
        }
      }
      #expect(try transaction.find(Person.self, id: 1) == people[0])
      try transaction.update(Person.self, id: 2) { $0.age += 1 }
    }
    subscription.cancel()
    #expect(try database.read { try $0.count(Person.self) } == 2)
    #expect(changes.values.map(\.tables) == [["person": TableChanges(updated: [2])]])
  }

  @Test
  func `each commit names the inserted, updated and deleted rows, for keys of any type`() throws {
    let changes = Kept<ChangeSet>()
    let subscription = database.changes.sink { changes.keep($0) }
    let item = Item(id: UUID(), tags: ["a"])
    try database.write { transaction throws in
      try transaction.put(Person(id: 1, name: "Ada", age: 36))
      try transaction.put(item)
    }
    try database.write { try $0.update(Item.self, id: item.id) { $0.tags = [] } }
    try database.write { try $0.update(Person.self, id: 1) { $0.id = 2 } }
    try database.write { transaction throws in
      try transaction.deleteAll(Item.self)
      try transaction.deleteAll(Person.where { $0.id == 2 })
    }
    subscription.cancel()
    let key = item.id.sqliteValue
    #expect(
      changes.values.map(\.tables) == [
        ["person": TableChanges(inserted: [1]), "item": TableChanges(inserted: [key])],
        ["item": TableChanges(updated: [key])],
        ["person": TableChanges(inserted: [2], deleted: [1])],
        ["person": TableChanges(deleted: [2]), "item": TableChanges(deleted: [key])],
      ])
  }

  @Test
  func `a read cannot write through a query`() throws {
    #expect(throws: DatabaseError.self) {
      try database.read { try $0.all(Query<Person>(sql: "INSERT INTO person VALUES (1, 'a', 1) RETURNING *")) }
    }
    #expect(try database.read { try $0.count(Person.self) } == 0)
  }

  @Test
  func `two databases in memory are independent`() throws {
    let other = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
    try database.write { try $0.put(Person(id: 1, name: "Ada", age: 36)) }
    #expect(try other.read { try $0.count(Person.self) } == 0)
  }

  @Test
  func `a model without its table is reported`() throws {
    struct Missing: StoreModel {
      static let table = TableSpec("missing")
      var id: Int
    }
    #expect(throws: DatabaseError.self) { try database.read { try $0.find(Missing.self, id: 1) } }
    #expect(throws: DatabaseError.self) { try database.write { try $0.put(Missing(id: 1)) } }
  }

  @Test
  func `a file keeps its rows and rejects an older schema`() throws {
    let directory = try TemporaryDirectory()
    let location = DatabaseLocation.file(directory.file("people.sqlite"))
    let schema = Schema(version: 2, models: [Person.self]) { MigrationStep(to: 2) }
    var database: Database? = try Database(location, schema: schema)
    try database?.write { try $0.put(Person(id: 1, name: "Ada", age: 36)) }
    database = nil
    database = try Database(location, schema: schema)
    #expect(database?.schemaOutcome == .current)
    #expect(try database?.read { try $0.find(Person.self, id: 1) } == Person(id: 1, name: "Ada", age: 36))
    #expect(throws: DatabaseError.schema(.tooNew(found: 2, supported: 1), path: directory.file("people.sqlite").path)) {
      try Database(location, schema: Schema(version: 1, models: [Person.self]))
    }
    let emptied = try Database(location, schema: Schema(version: 1, models: [Person.self]), policy: .cache)
    #expect(try emptied.read { try $0.count(Person.self) } == 0)
  }
}

private struct Person: StoreModel, Hashable {
  static let table = TableSpec("person", unique: ["name"])
  var id: Int
  var name: String
  var age: Int
}

private struct Item: StoreModel, Hashable {
  static let table = TableSpec("item")
  var id: UUID
  var tags: [String]
}
