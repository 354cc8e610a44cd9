import FileSignals
package import Foundation

/// The details of a database.
package struct InspectedDatabase: Sendable, Hashable, Encodable {
  /// A table.
  package struct Table: Sendable, Hashable, Encodable {
    /// The name.
    package var name: String
    /// The number of rows, at most 10,000.
    package var rows: Int
    /// A Boolean value that indicates whether there are more rows.
    package var capped: Bool
  }

  /// A shared transaction.
  package struct Commit: Sendable, Hashable, Encodable {
    /// The number of the transaction, as a decimal number.
    package var seq: String
    /// The name under which the process shares the database; empty for a migration.
    package var author: String
    /// The identifier of the ``InspectedProcess``, if it is known.
    package var process: String?
    /// The reason that the process gave.
    package var cause: String?
    /// The process and the reason, which the two members above show.
    var provenance: Provenance?
    /// The time.
    package var at: Date
    /// The number of inserted rows.
    package var inserted: Int
    /// The number of updated rows.
    package var updated: Int
    /// The number of deleted rows.
    package var deleted: Int
    /// The changed tables.
    package var tables: [String]
    /// `true` if more rows may have changed than are counted; otherwise `nil`.
    package var everything: Bool?

    private enum CodingKeys: String, CodingKey {
      case seq, author, process, cause, at, inserted, updated, deleted, tables, everything
    }
  }

  /// The shared transactions.
  package struct History: Sendable, Hashable, Encodable {
    /// The number of the first stored transaction, as a decimal number.
    package var first: String
    /// The number of the last transaction, as a decimal number.
    package var last: String
    /// The last transactions, the newest first, at most 50.
    package var entries: [Commit]
  }

  /// A process that receives the changes of others.
  package struct Author: Sendable, Hashable, Encodable {
    /// The name under which the process shares the database.
    package var name: String
    /// The number of the last received transaction, as a decimal number.
    package var cursor: String
    /// The number of transactions that were not received yet.
    package var lag: Int
    /// The time of the last sign of life.
    package var seen: Date
    /// A Boolean value that indicates whether a process has the name now.
    package var running: Bool
    /// The identifier of the ``InspectedProcess`` that has the name now.
    package var process: String?
  }

  /// A work queue.
  package struct Queue: Sendable, Hashable, Encodable {
    /// The name.
    package var name: String
    /// The number of jobs in each state that has any, such as `waiting`.
    package var counts: [String: Int]
    /// The running and failed jobs, the newest first, at most 50.
    package var jobs: [Job]
  }

  /// A running or failed job of a work queue.
  package struct Job: Sendable, Hashable, Encodable {
    /// The identifier, as a decimal number.
    package var id: String
    /// The state: `running` or `failed`.
    package var state: String
    /// The number of the attempt.
    package var attempt: Int
    /// The number of attempts that failed.
    package var failures: Int
    /// The error of the last attempt that failed.
    package var error: String?
    /// The reported progress, from 0 to 1.
    package var progress: Double?
    /// The time when it was claimed, or failed.
    package var at: Date
    /// The announcement of the worker that has it.
    package var worker: String?
    /// The identifier of the ``InspectedProcess`` that works on it.
    package var process: String?
  }

  /// The version of the schema.
  package var schema: Int

  /// The number of the owning app; `nil` if it set none.
  package var application: Int?

  /// The journal mode of SQLite.
  package var journal: String

  /// The size of the file.
  package var bytes: Int

  /// The size of the write-ahead log; `nil` if there is none.
  package var wal: Int?

  /// A Boolean value that indicates whether processes share their changes.
  package var shared: Bool

  /// The process that is writing.
  package var writer: InspectedHolder?

  /// The tables, in the order of their names.
  package var tables: [Table]

  /// The shared transactions; `nil` if the database is not shared.
  package var history: History?

  /// The processes that receive changes; `nil` if the database is not shared.
  package var authors: [Author]?

  /// The work queues; `nil` if there are none.
  package var queues: [Queue]?
}
