import Catalog
import CSQLite
import Foundation

/// What the C library takes for the same.
func registerRawSQLite() {
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
