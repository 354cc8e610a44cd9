import Catalog
import Foundation
import GRDB
import Stores

/// A person as it lies in the table: what every contender writes and reads.
struct Person: Codable, Identifiable, Sendable {
  var id: Int64
  var name: String
  var email: String
  var age: Int
  var score: Double
  var isActive: Bool
  var created: Double
  var note: String?

  static func numbered(_ id: Int64) -> Person {
    Person(
      id: id, name: "Person number \(id)", email: "person\(id)@example.org", age: Int(id % 90), score: Double(id) * 0.5,
      isActive: id % 2 == 0, created: 1_700_000_000, note: id % 3 == 0 ? "a note" : nil)
  }
}

let schema = """
  CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER NOT NULL,
    score REAL NOT NULL, isActive INTEGER NOT NULL, created REAL NOT NULL, note TEXT)
  """
let upsert = """
  INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
    email = excluded.email, age = excluded.age, score = excluded.score, isActive = excluded.isActive,
    created = excluded.created, note = excluded.note
  """
let select = "SELECT * FROM person WHERE id = ?"
let rowCount: Int64 = 10_000

let people = (1...rowCount).map(Person.numbered)

func registerStores() {
  registerOurStore()
  registerGRDB()
  registerRawSQLite()
  registerModels()
  registerQueues()
}

func arguments(_ person: Person) -> [SQLiteValue] {
  [
    .integer(person.id), .text(person.name), .text(person.email), .integer(Int64(person.age)), .real(person.score),
    .integer(person.isActive ? 1 : 0), .real(person.created), person.note.map(SQLiteValue.text) ?? .null,
  ]
}

private func opened(filled: Bool) -> Stores.Database {
  do {
    let database = try Stores.Database(.file(temporaryFile()))
    try database.write { transaction in
      try transaction.execute(schema)
      if filled { for person in people { try transaction.execute(upsert, arguments: arguments(person)) } }
    }
    return database
  } catch {
    fatalError("\(error)")
  }
}

private func registerOurStore() {
  measure("storeCommit", ours) {
    let database = opened(filled: false)
    return { count in
      for index in 0..<count {
        attempt { _ = try database.write { try $0.execute(upsert, arguments: arguments(people[index])) } }
      }
    }
  }
  measure("storeBatch", ours) {
    let database = opened(filled: false)
    return { count in
      attempt {
        try database.write { transaction in
          for index in 0..<count { try transaction.execute(upsert, arguments: arguments(people[index])) }
        }
      }
    }
  }
  measure("storePoint", ours) {
    let database = opened(filled: true)
    return { count in
      for index in 0..<count {
        attempt { sink(try database.read { try $0.row(select, arguments: [.integer(Int64(index + 1))]) }) }
      }
    }
  }
  measure("storePoints", ours) {
    let database = opened(filled: true)
    return { count in
      attempt {
        try database.read { transaction in
          for index in 0..<count { sink(try transaction.row(select, arguments: [.integer(Int64(index + 1))])) }
        }
      }
    }
  }
}

// MARK: GRDB

extension Person: FetchableRecord, PersistableRecord {
  static let databaseTableName = "person"
}

private func openedGRDB(filled: Bool) -> DatabasePool {
  do {
    let pool = try DatabasePool(path: temporaryFile().path)
    try pool.write { database in
      try database.execute(sql: schema)
      if filled { for person in people { try person.insert(database) } }
    }
    return pool
  } catch {
    fatalError("\(error)")
  }
}

private func grdbArguments(_ person: Person) -> StatementArguments {
  [
    person.id, person.name, person.email, person.age, person.score, person.isActive, person.created, person.note,
  ]
}

private func registerGRDB() {
  measure("storeCommit", "GRDB") {
    let pool = openedGRDB(filled: false)
    return { count in
      for index in 0..<count {
        attempt {
          try pool.write { try $0.cachedStatement(sql: upsert).execute(arguments: grdbArguments(people[index])) }
        }
      }
    }
  }
  measure("storeBatch", "GRDB") {
    let pool = openedGRDB(filled: false)
    return { count in
      attempt {
        try pool.write { database in
          let statement = try database.cachedStatement(sql: upsert)
          for index in 0..<count { try statement.execute(arguments: grdbArguments(people[index])) }
        }
      }
    }
  }
  measure("storePoint", "GRDB") {
    let pool = openedGRDB(filled: true)
    return { count in
      for index in 0..<count {
        attempt {
          sink(
            try pool.read { database in
              let statement = try database.cachedStatement(sql: select)
              return try GRDB.Row.fetchOne(statement, arguments: [Int64(index + 1)])
            })
        }
      }
    }
  }
  measure("storePoints", "GRDB") {
    let pool = openedGRDB(filled: true)
    return { count in
      attempt {
        try pool.read { database in
          let statement = try database.cachedStatement(sql: select)
          for index in 0..<count { sink(try GRDB.Row.fetchOne(statement, arguments: [Int64(index + 1)])) }
        }
      }
    }
  }
}

// MARK: Common

let tally = Tally()

@inline(never)
func sink<Value>(_ value: Value?) {
  tally.add(value == nil ? 0 : 1)
}

func attempt(_ body: () throws -> Void) {
  do { try body() } catch { fatalError("\(error)") }
}

func temporaryFile() -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: "signals-benchmark-\(UUID())")
  do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
    fatalError("\(error)")
  }
  return folder.appending(path: "people.sqlite")
}
