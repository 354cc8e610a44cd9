import FileSignals
import Foundation

extension SchemaOpening {
  /// Connects to a file, and brings it to the version of a schema; a cache that is damaged is removed first.
  ///
  /// - Parameters:
  ///   - path: The file, or `:memory:`.
  ///   - schema: What the file is to contain.
  ///   - policy: Whether the file may be replaced.
  ///   - connect: Opens a connection for writing, and sets it up; it is called again if the file was removed.
  /// - Returns: The connection, and what was found.
  /// - Throws: What `connect` throws, or ``DatabaseError`` for a file that does not fit.
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
    // Nobody may be about to open the file while it is removed, or its log would be taken for that of the next one.
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
}

extension DatabaseError {
  /// Whether what is in the file is no database, or no longer one.
  fileprivate var isDamage: Bool {
    switch self {
    case .notADatabase, .corrupt: true
    default: false
    }
  }
}
