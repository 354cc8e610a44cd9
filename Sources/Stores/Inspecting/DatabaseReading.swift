import FileSignals
import Foundation
import Signals

/// Opens databases for reading, in a way that neither changes them nor delays their processes.
///
/// - **In use:** A database that a process has open is read through its write-ahead log, in one transaction. The index
///   of the log is only read. A connection that may write it empties it if it takes itself for the first one.
/// - **At rest:** A database without a pending log is read as immutable, and read again if it changed in the meantime.
/// - **After a crash:** A database with a pending log, which no process has open, is copied and read there.
enum DatabaseReading {
  /// The largest database that is copied, in bytes.
  private static let copyLimit = 256 << 20

  static func read<Result>(
    _ file: URL, _ body: (SQLiteConnection) throws(DatabaseError) -> Result
  ) throws -> Result {
    // The log is beside the file to which a link leads.
    let url = DatabaseLocation.file(file).resolved.url ?? file
    var failure: (any Error)?
    let result = try Backoff.constant(.milliseconds(2)).repeating(within: .seconds(1)) { () throws -> Result? in
      let isOpen = try isOpen(url)
      if isOpen, try FileStatus(path: url.path + "-shm") != nil {
        do throws(DatabaseError) {
          return try withConnection(url.path, .observing, body)
        } catch {
          // No mark in the index suits a reader at this moment; the next transaction leaves one.
          failure = error
          return nil
        }
      }
      guard try isOpen || isLogEmpty(url) else { return try readCopy(of: url, body) }
      let stamps = try stamps(url)
      let result = Swift.Result { try withConnection(url.path, .immutable, body) }
      return try self.stamps(url) == stamps ? try result.get() : nil
    }
    if let result { return result }
    throw failure ?? DatabaseError.unopenable(url.path, because: "it changes all the time")
  }

  private static func withConnection<Result>(
    _ path: String, _ access: SQLiteConnection.Access, _ body: (SQLiteConnection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let connection = try SQLiteConnection(path: path, access: access, busyTimeout: .zero)
    defer { connection.close() }
    try connection.begin()
    defer { connection.endReading() }
    return try body(connection)
  }

  /// Returns a Boolean value that indicates whether a process has the database open.
  ///
  /// Each connection holds a lock in the index of the log. Where the system does not list all locks, the index counts.
  private static func isOpen(_ url: URL) throws(DurableFileError) -> Bool {
    guard SystemLocks.isComplete else { return try FileStatus(path: url.path + "-shm") != nil }
    for suffix in ["-shm", ""] {
      if let status = try FileStatus(path: url.path + suffix), SystemLocks.held(status.identity) != nil { return true }
    }
    return false
  }

  private static func isLogEmpty(_ url: URL) throws(DurableFileError) -> Bool {
    try FileStatus(path: url.path + "-wal").map { $0.size == 0 } ?? true
  }

  private static func stamps(_ url: URL) throws(DurableFileError) -> [FileStamp?] {
    [try FileStamp(path: url.path), try FileStamp(path: url.path + "-wal")]
  }

  private static func readCopy<Result>(
    of url: URL, _ body: (SQLiteConnection) throws(DatabaseError) -> Result
  ) throws -> Result {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "signals-\(UUID.random().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer {
      // The system empties this directory.
      tolerating { try files.removeItem(at: folder) }
    }
    let copy = folder.appending(path: "copy.sqlite")
    for suffix in ["", "-wal"] {
      let content = try DurableFile.read(URL(filePath: url.path + suffix), limit: copyLimit)
      try DurableFile.write(content, to: URL(filePath: copy.path + suffix), durability: .process)
    }
    return try withConnection(copy.path, .reading, body)
  }
}
