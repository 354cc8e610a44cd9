import FileSignals
import Foundation

/// The tables through which processes report changes to each other.
///
/// They are in the database itself, so a change and its record are committed together or not at all.
enum ShareTables {
  static let script = """
    CREATE TABLE IF NOT EXISTS signals_history (
      sequence INTEGER PRIMARY KEY, author TEXT NOT NULL, time INTEGER NOT NULL, changes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS signals_peer (author TEXT PRIMARY KEY, cursor INTEGER NOT NULL, seen INTEGER NOT NULL)
    """

  /// Creates the tables, unless they exist.
  static func make(in database: Database) throws(DatabaseError) {
    // Usually they exist, and then no process has to wait.
    let count = try database.readValue { transaction throws(DatabaseError) in
      try transaction.value("SELECT count(*) FROM sqlite_schema WHERE name IN ('signals_history', 'signals_peer')")
    }
    if count != 2 { try DatabaseError.only { try database.write { try $0.execute(script: script) } } }
  }

  /// A recorded change.
  struct Entry {
    let sequence: Int64
    let author: String
    let changes: Data

    /// No process can share under the empty name.
    var origin: ChangeOrigin { author.isEmpty ? .migration : .peer(author) }
  }

  /// Adds an entry.
  ///
  /// Its number is one more than the number of the last entry, which is therefore never removed.
  static func append(
    _ changes: Data, author: String, time: Int64, on connection: SQLiteConnection
  ) throws(DatabaseError) -> Int64 {
    try connection.run(
      "INSERT INTO signals_history (author, time, changes) VALUES (?, ?, ?)",
      [.text(author), .integer(time), .blob(changes)])
    return connection.lastInsertedRowID
  }

  /// Adds an entry that says that every table may have changed, if processes share the file.
  static func noteMigration(on connection: SQLiteConnection) throws(DatabaseError) {
    guard try !connection.columns(of: "signals_history").isEmpty else { return }
    let tables = try connection.tableNames().filter { !TableCatalog.isOwn($0) }
      .map { ($0, TableChanges(isEverything: true)) }
    let changes = ChangeCoding.encode(Dictionary(uniqueKeysWithValues: tables), .current)
    _ = try append(changes, author: "", time: ShareLimits.now, on: connection)
  }

  /// Returns the entries after a number, up to a limit.
  static func entries(
    after cursor: Int64, limit: Int, _ transaction: ReadTransaction
  ) throws(DatabaseError) -> [Entry] {
    try transaction.withStatement(
      "SELECT sequence, author, changes FROM signals_history WHERE sequence > ? ORDER BY sequence LIMIT ?",
      [.integer(cursor), .integer(Int64(limit))]
    ) { statement throws(DatabaseError) in
      var entries: [Entry] = []
      while try statement.step() {
        guard case .integer(let sequence) = statement.value(at: 0) else { continue }
        // Another program may have written other types. Such an entry counts, as one that cannot be decoded.
        let author = if case .text(let author) = statement.value(at: 1) { author } else { "?" }
        let changes = if case .blob(let changes) = statement.value(at: 2) { changes } else { Data() }
        entries.append(Entry(sequence: sequence, author: author, changes: changes))
      }
      return entries
    }
  }

  /// A query of a number that changes with commits of other connections, and a string that changes with commits of all
  /// sharing processes.
  static let state = """
    SELECT data_version, concat.text FROM pragma_data_version, (
      SELECT (SELECT coalesce(max(sequence), 0) FROM signals_history) || ' ' || total(cursor) || ' ' || total(seen) AS text
      FROM signals_peer) AS concat
    """

  static let newest = "SELECT max(sequence) FROM signals_history"

  /// Returns the number of the last entry, or 0 if there has been none.
  static func newest(_ transaction: ReadTransaction) throws(DatabaseError) -> Int64 {
    try transaction.value(newest).int64Value ?? 0
  }

  /// Returns the number of entries of other authors after a number.
  static func count(
    after cursor: Int64, notBy author: String, _ transaction: ReadTransaction
  ) throws(DatabaseError) -> Int {
    let count = try transaction.value(
      "SELECT count(*) FROM signals_history WHERE sequence > ? AND author <> ?", cursor, author)
    return Int(count.int64Value ?? 0)
  }

  /// Returns the position that an author has saved, if there is one, and the end of the history.
  static func position(
    of author: String?, _ transaction: ReadTransaction
  ) throws(DatabaseError) -> (saved: Int64?, newest: Int64) {
    let saved = try author.flatMap { author throws(DatabaseError) in
      try transaction.value("SELECT cursor FROM signals_peer WHERE author = ?", author).int64Value
    }
    return (saved, try newest(transaction))
  }

  /// Saves the position of a peer and the time, as a sign of life.
  static func save(
    _ cursor: Int64, _ author: String, time: Int64, _ transaction: WriteTransaction
  ) throws(DatabaseError) {
    try transaction.execute(
      """
      INSERT INTO signals_peer (author, cursor, seen) VALUES (?, ?, ?) ON CONFLICT (author)
      DO UPDATE SET cursor = max(cursor, excluded.cursor), seen = excluded.seen
      """, author, cursor, time)
  }

  /// Removes the entries that all recently active peers have received, and the entries beyond the limit, but never the
  /// last ones.
  ///
  /// Other peers detect from their position that they have missed entries. The last entries stay for processes that
  /// only follow current changes and have saved no position.
  static func trim(
    _ limits: ShareLimits, leavingBehind longAgo: Int64, on connection: SQLiteConnection
  ) throws(DatabaseError) {
    try connection.run(
      """
      DELETE FROM signals_history WHERE sequence < (SELECT max(sequence) FROM signals_history) AND (
        sequence <= (SELECT coalesce(min(cursor), 1 << 62) FROM signals_peer WHERE seen > ?)
          AND sequence <= (SELECT max(sequence) FROM signals_history) - ?
        OR sequence <= (SELECT max(sequence) FROM signals_history) - ?)
      """,
      [.integer(longAgo), .integer(Int64(limits.trimInterval)), .integer(Int64(limits.trimmedCount))])
  }
}
