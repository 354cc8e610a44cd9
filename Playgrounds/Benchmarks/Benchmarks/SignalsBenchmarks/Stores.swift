import Catalog
import CSQLite
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

private let people = (1...rowCount).map(Person.numbered)

func registerStores() {
  registerOurStore()
  registerGRDB()
  registerRawSQLite()
  registerModels()
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
        attempt { sink(try database.read { try $0.rows(select, arguments: [.integer(Int64(index + 1))]).first }) }
      }
    }
  }
  measure("storePoints", ours) {
    let database = opened(filled: true)
    return { count in
      attempt {
        try database.read { transaction in
          for index in 0..<count { sink(try transaction.rows(select, arguments: [.integer(Int64(index + 1))]).first) }
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

// MARK: The C library

private func registerRawSQLite() {
  measure("storeCommit", "SQLite") {
    let raw = RawSQLite(filled: false)
    return { count in
      for index in 0..<count {
        raw.run(raw.begin)
        raw.insert(people[index])
        raw.run(raw.commit)
      }
    }
  }
  measure("storeBatch", "SQLite") {
    let raw = RawSQLite(filled: false)
    return { count in
      raw.run(raw.begin)
      for index in 0..<count { raw.insert(people[index]) }
      raw.run(raw.commit)
    }
  }
  measure("storePoint", "SQLite") {
    let raw = RawSQLite(filled: true)
    return { count in
      for index in 0..<count {
        raw.run(raw.beginReading)
        raw.read(Int64(index + 1))
        raw.run(raw.commit)
      }
    }
  }
  measure("storePoints", "SQLite") {
    let raw = RawSQLite(filled: true)
    return { count in
      raw.run(raw.beginReading)
      for index in 0..<count { raw.read(Int64(index + 1)) }
      raw.run(raw.commit)
    }
  }
}

/// The C library with nothing around it, as one would call it from C.
private final class RawSQLite: @unchecked Sendable {  // Sound: one thread at a time uses it.
  private var handle: OpaquePointer?
  private(set) var begin: OpaquePointer?
  private(set) var beginReading: OpaquePointer?
  private(set) var commit: OpaquePointer?
  private var upsertion: OpaquePointer?
  private var selection: OpaquePointer?

  init(filled: Bool) {
    sqlite3_open_v2(
      temporaryFile().path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \(schema)", nil, nil, nil)
    begin = prepare("BEGIN IMMEDIATE")
    beginReading = prepare("BEGIN")
    commit = prepare("COMMIT")
    upsertion = prepare(upsert)
    selection = prepare(select)
    guard filled else { return }
    run(begin)
    for person in people { insert(person) }
    run(commit)
  }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    return statement
  }

  func run(_ statement: OpaquePointer?) {
    let code = sqlite3_step(statement)
    precondition(code == SQLITE_DONE || code == SQLITE_ROW)
    sqlite3_reset(statement)
  }

  func insert(_ person: Person) {
    sqlite3_bind_int64(upsertion, 1, person.id)
    bind(person.name, 2)
    bind(person.email, 3)
    sqlite3_bind_int64(upsertion, 4, Int64(person.age))
    sqlite3_bind_double(upsertion, 5, person.score)
    sqlite3_bind_int64(upsertion, 6, person.isActive ? 1 : 0)
    sqlite3_bind_double(upsertion, 7, person.created)
    if let note = person.note { bind(note, 8) } else { sqlite3_bind_null(upsertion, 8) }
    run(upsertion)
  }

  private func bind(_ text: String, _ index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(
          upsertion, index, $0.baseAddress, Int32($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }

  /// Touches every column, as C would.
  func read(_ id: Int64) {
    sqlite3_bind_int64(selection, 1, id)
    precondition(sqlite3_step(selection) == SQLITE_ROW)
    var sum = sqlite3_column_int64(selection, 0) &+ sqlite3_column_int64(selection, 3)
    sum &+= Int64(sqlite3_column_bytes(selection, 1) &+ sqlite3_column_bytes(selection, 2))
    sum &+= Int64(sqlite3_column_double(selection, 4) + sqlite3_column_double(selection, 6))
    sum &+= sqlite3_column_int64(selection, 5) &+ (sqlite3_column_text(selection, 7) == nil ? 0 : 1)
    sqlite3_reset(selection)
    tally.add(Int(sum))
  }
}

// MARK: Common

private let tally = Tally()

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
