/// How far a migration is.
public enum MigrationProgress: Hashable, Sendable {
  /// Nothing has been migrated.
  case idle

  /// The file at a path is being copied.
  case backingUp(path: String)

  /// A step is running; if it transforms a table, so many rows of all are done.
  case migrating(path: String, to: Int, rows: Int, of: Int)

  /// The file has been migrated.
  case finished(path: String, version: Int)

  /// The file could not be migrated, and is as it was before.
  case failed(path: String)
}
