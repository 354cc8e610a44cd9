import CSQLite
import Foundation
import Machine

/// A table of SQLite's C interface, with nothing around it.
final class RawTable {
  private let directory: TemporaryDirectory
  private var handle: OpaquePointer?
  private var begin: OpaquePointer?
  private var beginReading: OpaquePointer?
  private var commit: OpaquePointer?
  private var insertion: OpaquePointer?
  private var selection: OpaquePointer?

  init(rows: Int) throws {
    directory = try TemporaryDirectory(isInMemory: true)
    sqlite3_open_v2(
      directory.file("items.sqlite").path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
      nil)
    let schema = "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"
    sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \(schema)", nil, nil, nil)
    begin = prepare("BEGIN IMMEDIATE")
    beginReading = prepare("BEGIN")
    commit = prepare("COMMIT")
    insertion = prepare("INSERT INTO item VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text")
    selection = prepare("SELECT * FROM item WHERE id = ?")
    run(begin)
    for id in 0..<rows { insert(id, "number 0") }
    run(commit)
  }

  deinit {
    for statement in [begin, beginReading, commit, insertion, selection] { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Reads a row in a transaction, and returns the length of its text.
  func read(_ id: Int) -> Int {
    run(beginReading)
    sqlite3_bind_int64(selection, 1, Int64(id))
    let length = sqlite3_step(selection) == SQLITE_ROW ? Int(sqlite3_column_bytes(selection, 1)) : 0
    sqlite3_reset(selection)
    run(commit)
    return length
  }

  /// Writes a row in a transaction.
  func put(_ id: Int, _ text: String) {
    run(begin)
    insert(id, text)
    run(commit)
  }

  private func insert(_ id: Int, _ text: String) {
    sqlite3_bind_int64(insertion, 1, Int64(id))
    // SQLITE_TRANSIENT, which Swift does not import.
    sqlite3_bind_text(insertion, 2, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    run(insertion)
  }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    return statement
  }

  private func run(_ statement: OpaquePointer?) {
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }
}
