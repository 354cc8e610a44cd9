import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

@Suite("Live queries with key conditions", .patient)
struct LiveKeyTests {
  let database: Database

  init() throws {
    database = try liveDatabase()
  }

  /// Records the result of each read.
  ///
  /// Every read is sent, because the models are not `Equatable`.
  private func record(_ query: Query<Opaque>) -> (values: Recorder<[Int]>, SignalSubscription) {
    let values = Recorder<[Int]>()
    let subscription = database.query(query).sink { values.record($0.map(\.number)) }
    return (values, subscription)
  }

  @Test func `a query is read again for changes of its rows, and not of others`() async throws {
    let (one, first) = record(Opaque.where { $0.id == "a" })
    let (two, second) = record(Opaque.where { $0.number > 0 }.where { $0.id.isIn(["a", "b"]) }.ordered { $0.id })
    for round in 1...20 {
      try await database.write { try $0.put(Opaque(id: "other", number: round)) }
    }
    try await database.write { try $0.put(Opaque(id: "b", number: 7)) }
    try await two.wait { $0.count == 2 }
    try await database.write { try $0.put(Opaque(id: "a", number: 8)) }
    try await one.wait { $0.count == 2 }
    try await two.wait { $0.count == 3 }
    try await database.write { try $0.execute("UPDATE opaque SET id = 'c' WHERE id = 'a'") }
    try await one.wait { $0.count == 3 }
    try await two.wait { $0.count == 4 }
    #expect(one.elements == [[], [8], []])
    #expect(two.elements == [[], [7], [8, 7], [7]])
    first.cancel()
    second.cancel()
  }

  @Test func `a query is read again when all rows are deleted or the table is replaced`() async throws {
    let (values, subscription) = record(Opaque.where { $0.id == "a" })
    try await database.write { try $0.put(Opaque(id: "a", number: 1)) }
    try await values.wait { $0.last == [1] }
    try await database.write { try $0.execute("DELETE FROM opaque") }
    try await values.wait { $0.last == [] && $0.count == 3 }
    try await database.write {
      try $0.execute(script: "DROP TABLE opaque; CREATE TABLE opaque (id TEXT PRIMARY KEY NOT NULL, number INTEGER)")
      try $0.put(Opaque(id: "a", number: 2))
    }
    try await values.wait { $0.last == [2] }
    subscription.cancel()
  }

  @Test(arguments: [
    ("id TEXT PRIMARY KEY NOT NULL, note TEXT COLLATE NOCASE", true),
    ("id TEXT PRIMARY KEY NOT NULL COLLATE BINARY, note TEXT UNIQUE COLLATE NOCASE", true),
    ("id TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, note TEXT", false),
    ("id TEXT NOT NULL, note TEXT, PRIMARY KEY (id COLLATE NOCASE)", false),
    ("id TEXT NOT NULL COLLATE RTRIM, note TEXT, PRIMARY KEY (id COLLATE BINARY)", false),
    ("id TEXT UNIQUE NOT NULL, note TEXT PRIMARY KEY", false),
    ("id TEXT NOT NULL, note TEXT, PRIMARY KEY (id, note)", false),
  ])
  func `only a collation on the key makes a query follow the whole table`(columns: String, isKey: Bool) throws {
    let database = try Database(.memory)
    for end in [")", ") WITHOUT ROWID"] {
      try database.write { transaction in
        try transaction.execute("CREATE TABLE opaque (number INTEGER, \(columns)\(end)")
        let areKeysTold = try ModelStatements<Opaque>.of(transaction.connection).areKeysTold
        #expect(areKeysTold == isKey, "\(columns)\(end)")
        try transaction.execute("DROP TABLE opaque")
      }
    }
  }

  @Test func `a query follows the whole table if its key differs from the model's`() async throws {
    let database = try Database(.memory)
    try await database.write {
      try $0.execute(
        script: """
          CREATE TABLE errand (number INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, title TEXT, isDone INTEGER);
          CREATE TABLE opaque (id TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, number INTEGER NOT NULL)
          """)
    }
    let titles = Recorder<String?>()
    let query = database.query(Errand.where { $0.id == 50 })
    let first = query.sink { titles.record($0.first?.title) }
    let numbers = Recorder<Int?>()
    let other = database.query(Opaque.where { $0.id == "A" })
    let second = other.sink { numbers.record($0.first?.number) }
    let errand = try database.live(Errand.self, id: 50)
    try await database.write { try $0.execute("INSERT INTO errand VALUES (1, 50, 'bread', 0)") }
    try await titles.wait { $0.last == "bread" }
    #expect(errand.value?.title == "bread")
    try await database.write { try $0.execute("INSERT INTO opaque VALUES ('a', 5)") }
    try await numbers.wait { $0.last == 5 }
    first.cancel()
    second.cancel()
  }
}
