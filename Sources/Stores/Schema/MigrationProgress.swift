/// The progress of a migration.
public enum MigrationProgress: Hashable, Sendable {
  /// Nothing has been migrated.
  case idle

  /// The file at a path is being copied.
  case backingUp(path: String)

  /// A step is running.
  ///
  /// If it transforms a table, the numbers of processed rows and of all rows are included.
  case migrating(path: String, to: Int, rows: Int, of: Int)

  /// The file has been migrated.
  case finished(path: String, version: Int)

  /// The migration failed, and the file is unchanged.
  case failed(path: String)
}
