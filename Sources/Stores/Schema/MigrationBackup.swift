/// The copy of a file that is made before a migration.
///
/// It is next to the file, with the version in its name. There is one copy for each version that was migrated. A copy
/// is never incomplete.
struct MigrationBackup {
  let path: String
  let copy: String

  init(of path: String, version: Int) {
    self.path = path
    copy = "\(path).v\(version).backup"
  }

  /// Copies the committed content.
  ///
  /// The caller holds the write lock, so the content cannot change.
  ///
  /// - Parameter mark: The mark that reports progress to waiting processes.
  /// - Returns: The path of the copy.
  /// - Throws: ``DatabaseError/schema(_:path:)``. There is then no copy.
  func make(_ mark: MigrationMark) throws(DatabaseError) -> String {
    do {
      // The writing connection would also copy what the migration has changed.
      let connection = try SQLiteConnection(path: path, access: .reading, busyTimeout: .seconds(5))
      defer { connection.close() }
      try connection.begin()
      defer { connection.endReading() }
      _ = try connection.value("SELECT count(*) FROM sqlite_schema")
      try DatabaseCopy(destination: copy).make(from: connection, patience: .seconds(5)) { _ in mark.beat() }
      return copy
    } catch {
      throw .schema(.backupFailed(copy: copy, reason: "\(error)"), path: path)
    }
  }
}
