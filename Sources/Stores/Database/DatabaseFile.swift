import CSQLite
import FileSignals
import Foundation

/// The parameters for opening a database, and for opening it again after a switch.
struct DatabaseFile: Sendable {
  /// The location, without symbolic links.
  let location: DatabaseLocation
  var access = DatabaseAccess.readWrite
  let schema: Schema?
  var policy = DatabasePolicy.persistence
  let durability: Durability
  var busyTimeout = Duration.seconds(5)
  var applicationID: Int32 = 0
  var extensions = ConnectionExtensions()

  /// The connections that were opened.
  struct Opened {
    /// The writing connection; `nil` for a read-only database.
    let writer: SQLiteConnection?
    let outcome: SchemaOutcome?
    /// The tables of a read-only file; a writing connection knows its own.
    var tables: [String] = []
  }

  /// Opens the file with the requested access, and migrates it to the version of its schema if that is allowed.
  func open() throws(DatabaseError) -> Opened {
    guard access == .readWrite else { return try inspect() }
    guard let schema else { return Opened(writer: try connect(), outcome: nil) }
    let (connection, outcome) = try SchemaOpening.open(
      path: location.path, schema: schema, policy: policy, connect: connect)
    switch (outcome, location) {
    case (.migrated, .file(let url)), (.rebuilt, .file(let url)): ShareBell.ringIfThere(beside: url)
    default: break
    }
    return Opened(writer: connection, outcome: outcome)
  }

  /// Opens a connection that only reads.
  func reader() throws(DatabaseError) -> SQLiteConnection {
    let access: SQLiteConnection.Access = access == .immutable ? .immutable : .reading
    let connection = try SQLiteConnection(path: location.path, access: access, busyTimeout: busyTimeout)
    try connection.install(extensions)
    return connection
  }

  /// A Boolean value that indicates whether the database exists but a file of its log is missing.
  private var isLogMissing: Bool {
    get throws(DatabaseError) {
      let path = location.path
      guard try DatabaseError.status(path) != nil else { return false }
      if try DatabaseError.status(path + "-wal") == nil { return true }
      return try DatabaseError.status(path + "-shm") == nil
    }
  }

  /// Checks a file that this process must not change, so any problem is an error.
  private func inspect() throws(DatabaseError) -> Opened {
    let path = location.path
    if let status = try DatabaseError.status(path), status.kind != .regular {
      throw .notARegularFile(path: path, kind: status.kind.rawValue)
    }
    let connection = try reader()
    defer { connection.close() }
    do throws(DatabaseError) {
      try checkOwner(of: connection)
    } catch {
      guard access == .readOnly, try isLogMissing else { throw error }
      switch error {
      // SQLite's error code depends on whether the directory or the file system forbids writing.
      case .cannotOpen(let failure), .readOnly(let failure): throw .logMissing(failure)
      default: throw error
      }
    }
    let outcome: SchemaOutcome? =
      if let schema { try SchemaOpening(schema, policy: .guest, connection: connection).run() } else { nil }
    return Opened(writer: nil, outcome: outcome, tables: try connection.tableNames())
  }
}
