import CSQLite
package import FileSignals
package import Foundation

/// The state of a database as it is on disk, read without delaying the processes that use it.
package struct DatabaseInspection: Sendable {
  /// A table and its size.
  package struct Table: Sendable, Hashable {
    package let name: String
    /// The number of rows, at most ``DatabaseInspection/countLimit``.
    package let rows: Int
    /// A Boolean value that indicates whether there are more rows.
    package let isCapped: Bool
  }

  /// A shared transaction in the history.
  package struct Commit: Sendable, Hashable {
    package let sequence: Int64
    /// The author; empty for a migration.
    package let author: String
    /// The process and the cause; `nil` if they are unknown.
    package var provenance: Provenance?
    package let date: Date
    package var tables: [String] = []
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
    package var isEverything = false
  }

  /// The position of a process that receives the changes of others.
  package struct Author: Sendable, Hashable {
    package let name: String
    package let cursor: Int64
    package let seen: Date
  }

  /// A work queue.
  package struct Queue: Sendable, Hashable {
    package let name: String
    package var counts = JobCounts()
    /// The running and failed jobs with the highest numbers.
    package var jobs: [Job] = []
  }

  /// A job of a work queue, without its content.
  package struct Job: Sendable, Hashable {
    package let id: Int64
    package let state: JobState
    package let attempt: Int
    package let failureCount: Int
    package let error: String?
    package let progress: Double?
    package let changed: Date
    /// The announcement of the worker that has the job.
    package let worker: String?
  }

  /// A page of the rows of a table.
  package struct Page: Sendable {
    package let columns: [String]
    package let keys: [String]
    package let rows: [[SQLiteValue]]
    package let hasMore: Bool
  }

  /// The number up to which rows are counted.
  package static let countLimit = 10_000

  /// The version of the schema.
  package var schema = 0
  package var applicationID = 0
  package var journal = ""
  package var tables: [Table] = []
  /// The last shared transactions, the newest first; `nil` if the database is not shared.
  package var history: [Commit]?
  package var first: Int64 = 0
  package var last: Int64 = 0
  package var authors: [Author] = []
  package var queues: [Queue] = []

  /// Reads the state of a database.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - historyLimit: The largest number of shared transactions to return.
  /// - Returns: The state.
  /// - Throws: ``DatabaseError``.
  package static func read(_ url: URL, historyLimit: Int = 50) throws -> DatabaseInspection {
    try DatabaseReading.read(url) { connection throws(DatabaseError) in
      var found = DatabaseInspection()
      found.schema = Int(try connection.value("PRAGMA user_version").int64Value ?? 0)
      found.applicationID = Int(try connection.value("PRAGMA application_id").int64Value ?? 0)
      found.journal = try hasLog(connection) ? "wal" : connection.value("PRAGMA journal_mode").stringValue ?? ""
      let names = try connection.tableNames()
      for name in names.sorted() where !TableCatalog.isOwn(name) {
        found.tables.append(try table(name, connection))
      }
      if names.contains("signals_history") { try found.readHistory(historyLimit, connection) }
      if names.contains("signals_peer") {
        found.authors = try connection.rows("SELECT author, cursor, seen FROM signals_peer ORDER BY author").map {
          Author(
            name: $0[0].stringValue ?? "", cursor: $0[1].int64Value ?? 0,
            seen: Date(timeIntervalSince1970: Double($0[2].int64Value ?? 0)))
        }
      }
      if names.contains(SQL.jobTable) { try found.readQueues(connection) }
      return found
    }
  }

  /// Returns whether the header of a database says that it has a write-ahead log.
  ///
  /// SQLite does not look at it while it reads a database as immutable. The header is read by the connection, because
  /// closing another descriptor of the file would release the locks of this process.
  private static func hasLog(_ connection: SQLiteConnection) -> Bool {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods
    else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 2, alignment: 1) { versions in
      methods.pointee.xRead(file, versions.baseAddress, 2, 18) == SQLITE_OK && versions.allSatisfy { $0 == 2 }
    }
  }

  /// The largest number of jobs of each queue that are returned.
  private static let jobLimit = 50

  private mutating func readQueues(_ connection: SQLiteConnection) throws(DatabaseError) {
    for row in try connection.rows(
      "SELECT queue, state, count(*) FROM signals_job GROUP BY queue, state ORDER BY queue")
    {
      guard let name = row[0].stringValue, let state = row[1].int64Value.flatMap(JobState.init) else { continue }
      if queues.last?.name != name { queues.append(Queue(name: name)) }
      queues[queues.count - 1].counts[state] = Int(row[2].int64Value ?? 0)
    }
    for index in queues.indices {
      queues[index].jobs = try connection.rows(
        """
        SELECT id, state, attempt, failures, error, progress, changed, worker FROM signals_job
        WHERE queue = ? AND state IN (2, 3) ORDER BY id DESC LIMIT ?
        """, [.text(queues[index].name), .integer(Int64(Self.jobLimit))]
      ).compactMap { row in
        guard let id = row[0].int64Value, let state = row[1].int64Value.flatMap(JobState.init) else { return nil }
        return Job(
          id: id, state: state, attempt: Int(row[2].int64Value ?? 0), failureCount: Int(row[3].int64Value ?? 0),
          error: row[4].stringValue, progress: row[5].doubleValue, changed: JobTable.date(row[6]) ?? .distantPast,
          worker: row[7].stringValue)
      }
    }
  }

  private static func table(_ name: String, _ connection: SQLiteConnection) throws(DatabaseError) -> Table {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM \(SQL.name(name)) LIMIT \(countLimit + 1))"
    let count = Int(try connection.value(sql).int64Value ?? 0)
    return Table(name: name, rows: min(count, countLimit), isCapped: count > countLimit)
  }

  private mutating func readHistory(_ limit: Int, _ connection: SQLiteConnection) throws(DatabaseError) {
    let ends = try connection.rows("SELECT coalesce(min(sequence), 0), coalesce(max(sequence), 0) FROM signals_history")
    (first, last) = (ends.first?[0].int64Value ?? 0, ends.first?[1].int64Value ?? 0)
    let sql = "SELECT sequence, author, time, changes FROM signals_history ORDER BY sequence DESC LIMIT ?"
    history = try connection.rows(sql, [.integer(Int64(limit))]).map { row in
      var commit = Commit(
        sequence: row[0].int64Value ?? 0, author: row[1].stringValue ?? "",
        date: Date(timeIntervalSince1970: Double(row[2].int64Value ?? 0)))
      commit.decode(row[3].dataValue ?? Data())
      return commit
    }
  }

  /// Reads a page of a table's rows, in the order of its key.
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - table: The table.
  ///   - offset: The number of rows to skip.
  ///   - limit: The largest number of rows.
  /// - Returns: The rows, or `nil` if there is no such table.
  /// - Throws: ``DatabaseError``.
  package static func rows(_ url: URL, table: String, offset: Int, limit: Int) throws -> Page? {
    let limit = min(max(0, limit), .max - 1)
    return try DatabaseReading.read(url) { connection throws(DatabaseError) in
      guard connection.isTable(table) else { return nil }
      let columns = try connection.columns(of: table)
      let keys = columns.filter(\.isKey).map(\.name)
      let order = keys.isEmpty ? "" : " ORDER BY " + keys.map(SQL.name).joined(separator: ", ")
      let names = columns.map { SQL.name($0.name) }.joined(separator: ", ")
      let rows = try connection.rows(
        "SELECT \(names) FROM \(SQL.name(table))\(order) LIMIT ? OFFSET ?",
        [.integer(Int64(limit + 1)), .integer(Int64(offset))])
      return Page(
        columns: columns.map(\.name), keys: keys, rows: rows.prefix(limit).map(\.values), hasMore: rows.count > limit)
    }
  }

  /// Reads all rows of a query.
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - sql: A query without parameters.
  /// - Returns: The values of each row.
  /// - Throws: ``DatabaseError``.
  package static func rows(_ url: URL, _ sql: String) throws -> [[SQLiteValue]] {
    try DatabaseReading.read(url) { connection throws(DatabaseError) in try connection.rows(sql).map(\.values) }
  }
}

extension DatabaseInspection.Commit {
  fileprivate mutating func decode(_ changes: Data) {
    do throws(ChangeCoding.Unreadable) {
      let found = try ChangeCoding.decode(changes)
      tables = found.tables.keys.sorted()
      provenance = found.provenance
      for change in found.tables.values {
        inserted += change.inserted.count
        updated += change.updated.count
        deleted += change.deleted.count
        isEverything = isEverything || change.isEverything
      }
    } catch {
      // A newer version of the format means that everything may have changed.
      isEverything = true
    }
  }
}
