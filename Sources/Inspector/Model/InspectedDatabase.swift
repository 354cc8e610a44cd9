public import Foundation

/// The details of a database.
public struct InspectedDatabase: Sendable, Hashable, Codable {
  /// A table.
  public struct Table: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// The number of rows, at most 10,000.
    public var rows: Int
    /// A Boolean value that indicates whether there are more rows.
    public var capped: Bool
  }

  /// A shared transaction.
  public struct Commit: Sendable, Hashable, Codable {
    /// The number of the transaction, as a decimal number.
    public var seq: String
    /// The name under which the process shares the database; empty for a migration.
    public var author: String
    /// The time.
    public var at: Date
    /// The number of inserted rows.
    public var inserted: Int
    /// The number of updated rows.
    public var updated: Int
    /// The number of deleted rows.
    public var deleted: Int
    /// The changed tables.
    public var tables: [String]
    /// `true` if more rows may have changed than are counted; otherwise `nil`.
    public var everything: Bool?
  }

  /// The shared transactions.
  public struct History: Sendable, Hashable, Codable {
    /// The number of the first stored transaction, as a decimal number.
    public var first: String
    /// The number of the last transaction, as a decimal number.
    public var last: String
    /// The last transactions, the newest first, at most 50.
    public var entries: [Commit]
  }

  /// A process that receives the changes of others.
  public struct Author: Sendable, Hashable, Codable {
    /// The name under which the process shares the database.
    public var name: String
    /// The number of the last received transaction, as a decimal number.
    public var cursor: String
    /// The number of transactions that were not received yet.
    public var lag: Int
    /// The time of the last sign of life.
    public var seen: Date
    /// A Boolean value that indicates whether a process has the name now.
    public var running: Bool
    /// The identifier of the ``InspectedProcess`` that has the name now.
    public var process: String?
  }

  /// The version of the schema.
  public var schema: Int

  /// The number of the owning app; `nil` if it set none.
  public var application: Int?

  /// The journal mode of SQLite.
  public var journal: String

  /// The size of the file.
  public var bytes: Int

  /// The size of the write-ahead log; `nil` if there is none.
  public var wal: Int?

  /// A Boolean value that indicates whether processes share their changes.
  public var shared: Bool

  /// The process that is writing.
  public var writer: InspectedHolder?

  /// The tables, in the order of their names.
  public var tables: [Table]

  /// The shared transactions; `nil` if the database is not shared.
  public var history: History?

  /// The processes that receive changes; `nil` if the database is not shared.
  public var authors: [Author]?
}
