import AppGroups
import Foundation
import Signals
import Stores
import TestSupport

/// A container with a database that several processes share.
struct ShareFixture: Sendable {
  let directory: TemporaryDirectory
  let container: AppGroupsContainer

  init() throws {
    directory = try TemporaryDirectory()
    container = try AppGroupsContainer(directory: directory.url)
  }

  /// Opens a copy of the files that an earlier version of the package wrote.
  init(_ stored: StoredFormat) throws {
    directory = try stored.copy()
    container = try AppGroupsContainer(directory: directory.url)
  }

  var file: URL { directory.file("list.sqlite") }

  /// Opens the database again, as another process would, with a table of items.
  func database() throws -> Database {
    let database = try Database(.file(file), busyTimeout: .seconds(60))
    try database.write {
      try $0.execute(script: "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, text TEXT)")
    }
    return database
  }

  func share(
    _ database: Database, _ author: String, scope: Set<String> = ["item"], limits: ShareLimits = ShareLimits(),
    lockTimeout: Duration = .zero
  ) throws -> DatabaseShare {
    try DatabaseShare(
      database, container: container, author: author, tables: scope, limits: limits, lockTimeout: lockTimeout)
  }

  /// Lets an author subscribe and leave, so that changes are kept for it from then on.
  func leave(_ author: String, limits: ShareLimits = ShareLimits()) throws {
    let share = try share(database(), author, limits: limits)
    share.incoming.sink { _ in }.cancel()
    share.close()
  }

  /// Starts a process that shares the database.
  func peer(_ author: String) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("share-database \(file.path) \(directory.url.path) \(author)")
    return peer
  }
}

/// Inserts a row in its own transaction.
func insert(_ text: String, into database: Database) throws {
  try database.write { try $0.execute("INSERT INTO item (text) VALUES (?)", text) }
}

/// Runs a closure inside a transaction.
func inTransaction(of database: Database, _ body: () -> Void) throws {
  try database.write { _ in body() }
}
