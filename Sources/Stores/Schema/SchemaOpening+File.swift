import FileSignals
import Foundation

extension SchemaOpening {
  /// Connects to a file and migrates it to the version of a schema.
  ///
  /// A damaged cache is removed first.
  ///
  /// - Parameters:
  ///   - path: The file, or `:memory:`.
  ///   - schema: The schema of the file.
  ///   - policy: The policy, which determines whether the file may be replaced.
  ///   - connect: A closure that opens and configures a connection for writing. It is called again if the file was
  ///     removed.
  /// - Returns: The connection and the outcome.
  /// - Throws: The error that `connect` throws, or ``DatabaseError`` if the file does not match.
  static func open(
    path: String, schema: Schema, policy: DatabasePolicy,
    connect: () throws(DatabaseError) -> SQLiteConnection
  ) throws(DatabaseError) -> (connection: SQLiteConnection, outcome: SchemaOutcome) {
    func attempt() throws(DatabaseError) -> (connection: SQLiteConnection, outcome: SchemaOutcome) {
      let connection = try connect()
      do throws(DatabaseError) {
        return (connection, try SchemaOpening(schema, policy: policy, connection: connection).run())
      } catch {
        connection.close()
        throw error
      }
    }
    guard policy == .cache, path != DatabaseLocation.memory.path else { return try attempt() }
    // No process may open the file while it is removed, since the next file would get its log.
    return try exclusively(path) { () throws(DatabaseError) in
      do throws(DatabaseError) {
        return try attempt()
      } catch {
        guard error.isDamage else { throw error }
        for suffix in ["-wal", "-shm", "-journal", ""] { unlink(path + suffix) }
        return (try attempt().connection, .rebuilt(reason: error))
      }
    }
  }

  /// Runs a closure while no other process removes the file.
  private static func exclusively<Result>(
    _ path: String, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    do {
      return try DurableFile.withLock(on: URL(filePath: path)) { try body() }
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw .unopenable(path, because: "\(error)")
    }
  }

  /// Copies the committed content next to the file, before it is migrated.
  ///
  /// There is one copy for each version that was migrated, and it is never incomplete. This opening holds the write lock,
  /// so the content cannot change.
  ///
  /// - Returns: The path of the copy.
  /// - Throws: ``DatabaseError/schema(_:path:)``. There is then no copy.
  func copy(to destination: String) throws(DatabaseError) -> String {
    do {
      // The writing connection would also copy what the migration has changed.
      let source = try SQLiteConnection(path: connection.path, access: .reading, busyTimeout: .seconds(5))
      defer { source.close() }
      try source.begin()
      defer { source.endReading() }
      _ = try source.value("SELECT count(*) FROM sqlite_schema")
      try DatabaseCopy(destination: destination).make(from: source, patience: .seconds(5)) { _ in mark.beat() }
      return destination
    } catch {
      throw failure(.backupFailed(copy: destination, reason: "\(error)"))
    }
  }
}

extension DatabaseError {
  /// A Boolean value that indicates whether the file is not a database or is damaged.
  fileprivate var isDamage: Bool {
    switch self {
    case .notADatabase, .corrupt: true
    default: false
    }
  }
}
