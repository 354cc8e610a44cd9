import AppGroups
import Foundation
import TestSupport

@testable import Stores

/// A directory whose contents are switched.
///
/// The contents in use are in `live`, the others beside it.
struct ScopeFixture: Sendable {
  let directory: TemporaryDirectory
  let scope: Scope
  var root: URL { scope.root }
  var url: URL { root.appending(path: "list.sqlite", directoryHint: .notDirectory) }
  var location: DatabaseLocation { .file(url) }

  init() throws {
    directory = try TemporaryDirectory()
    scope = Scope(root: directory.url.appending(path: "live", directoryHint: .isDirectory))
    try make("live")
  }

  func url(in name: String) -> URL {
    directory.url.appending(path: "\(name)/list.sqlite", directoryHint: .notDirectory)
  }

  func make(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: directory.url.appending(path: name, directoryHint: .isDirectory), withIntermediateDirectories: true)
  }

  func open(_ policy: ScopePolicy = .follows, schema: Schema? = Self.schema) throws -> Database {
    try Database(location, schema: schema, busyTimeout: .seconds(60), scope: scope, onSwitch: policy)
  }

  static let schema = Schema(version: 1, models: [Errand.self])

  /// Creates a database with one errand in a directory, and closes it.
  func fill(_ name: String, title: String) throws {
    try make(name)
    let database = try Database(.file(url(in: name)), schema: Self.schema)
    try database.write { try $0.put(Errand(id: 1, title: title)) }
    try database.close()
  }

  /// Moves the contents to one name, and those of another name into their place.
  func rename(away old: String, in new: String) throws {
    try FileManager.default.moveItem(at: root, to: directory.url.appending(path: old))
    try FileManager.default.moveItem(at: directory.url.appending(path: new), to: root)
  }

  /// Switches the contents, as an environment switch does.
  func switchContents(away old: String, in new: String) throws {
    try scope.switchContents { try rename(away: old, in: new) }
  }

  /// Pauses every member and resumes it with the same contents, as cloning an environment does.
  func rest() throws {
    let changes = ScopeChanges()
    defer { changes.send() }
    try scope.rest(into: changes) {}
  }

  /// The title of the errand in a directory, read by a new connection.
  func title(in name: String) throws -> SQLiteValue {
    let database = try Database(.file(url(in: name)))
    defer { withExtendedLifetime(database) {} }
    return try database.read { try $0.value("SELECT title FROM errand WHERE id = 1") }
  }
}
