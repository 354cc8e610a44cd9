import CLibrary
import CSQLite
import FileSignals
import Foundation
import Signals

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

extension DatabaseFile {
  /// Opens a connection for writing, and creates the file if it is missing; one that cannot be opened is left unchanged.
  func connect() throws(DatabaseError) -> SQLiteConnection {
    let path = location.path
    if case .file = location { try Self.makeFile(path) }
    let connection = try SQLiteConnection(path: path, access: .writing, busyTimeout: busyTimeout)
    if connection.isReadOnly {
      let reason = "attempt to write a readonly database"
      throw .readOnly(SQLiteFailure(extendedCode: SQLITE_READONLY, message: reason, path: path))
    }
    // This reads the content for the first time; nothing has been written yet.
    try checkOwner(of: connection)
    try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON")
    if case .file = location { try useLog(connection) }
    try connection.execute("PRAGMA synchronous = \(durability == .storage ? "FULL" : "NORMAL")")
    #if canImport(Darwin)
      if durability == .storage { try connection.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON") }
    #endif
    if applicationID != 0, try connection.value("PRAGMA application_id") == 0 {
      try connection.execute("PRAGMA application_id = \(applicationID)")
    }
    try connection.install(extensions)
    return connection
  }

  /// Creates an empty file that only its owner can read, because SQLite would create one that everyone can read.
  private static func makeFile(_ path: String) throws(DatabaseError) {
    try making.withLock { _ throws(DatabaseError) in
      if let status = try DatabaseError.status(path) {
        guard status.kind == .regular else { throw .notARegularFile(path: path, kind: status.kind.rawValue) }
        return
      }
      // If this fails, SQLite reports the reason, or opens the file that another process has just created.
      _ = Descriptor(uninterrupted { CLibrary.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600) })
    }
  }

  /// Held until a new file is closed.
  ///
  /// Closing it later would release the locks that SQLite has meanwhile acquired in it for another thread.
  private static let making = Guarded(())

  /// Reads a file for the first time, and refuses a file of another program.
  func checkOwner(of connection: SQLiteConnection) throws(DatabaseError) {
    guard case .integer(let found) = try connection.value("PRAGMA application_id") else { return }
    if applicationID != 0, found != 0, found != Int64(applicationID) {
      let found = Int32(truncatingIfNeeded: found)
      throw .foreignDatabase(path: connection.path, applicationID: found, expected: applicationID)
    }
    // The first page of the file has been read; this reads the rest of the schema.
    _ = try connection.value("SELECT count(*) FROM sqlite_schema")
  }

  /// Switches to the write-ahead log, with which readers and the writer do not wait for each other.
  private func useLog(_ connection: SQLiteConnection) throws(DatabaseError) {
    var refusal: DatabaseError?
    // If several processes switch at the same time, SQLite refuses some of them without waiting.
    let mode = try Backoff.constant(.milliseconds(1)).repeating(within: busyTimeout) { () throws(DatabaseError) in
      do throws(DatabaseError) {
        return try connection.value("PRAGMA journal_mode = WAL")
      } catch {
        guard case .busy = error else { throw error }
        refusal = error
        return nil
      }
    }
    if let refusal, mode == nil { throw refusal }
    guard let mode, mode == "wal" else {
      throw .unopenable(
        connection.path, because: "its file system does not allow a write-ahead log (\(mode ?? .null))")
    }
    // The log file stays. It is limited in size, and empty when no process has the database open.
    try connection.execute("PRAGMA journal_size_limit = \(8 << 20)")
  }
}
