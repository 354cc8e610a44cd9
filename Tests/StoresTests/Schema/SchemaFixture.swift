import FileSignals
import Foundation
import TestSupport

@testable import Stores

/// Files that are opened with schemas, in a temporary directory.
struct SchemaFixture {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  var path: String { directory.file("people.sqlite").path }

  /// Connects as a database does.
  func connect() throws(DatabaseError) -> SQLiteConnection {
    try DatabaseFile(
      location: .file(URL(filePath: path)), schema: nil, durability: .process, busyTimeout: .seconds(240)
    ).connect()
  }

  /// Opens the file with a schema, runs a closure, and closes it.
  @discardableResult
  func open(
    _ schema: Schema, policy: DatabasePolicy = .persistence, _ body: (SQLiteConnection) throws -> Void = { _ in }
  ) throws -> SchemaOutcome {
    let (connection, outcome) = try SchemaOpening.open(path: path, schema: schema, policy: policy, connect: connect)
    defer { connection.close() }
    try body(connection)
    return outcome
  }

  /// Runs SQL without the schema.
  @discardableResult
  func sql(_ sql: String) throws -> SQLiteValue {
    let connection = try connect()
    defer { connection.close() }
    return try connection.value(sql)
  }

  /// Runs several statements without the schema.
  func script(_ script: String) throws {
    let connection = try connect()
    defer { connection.close() }
    try connection.execute(script)
  }

  /// The contents of the file: its tables with their rows, and its version.
  func content() throws -> [String] {
    let connection = try connect()
    defer { connection.close() }
    var content = try connection.texts("SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name")
    for table in try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      let columns = try connection.columns(of: table).map { "quote(\(SQL.name($0.name)))" }.joined(
        separator: " || ',' || ")
      content += try connection.texts("SELECT '\(table) ' || \(columns) FROM \(SQL.name(table)) ORDER BY 1")
    }
    return content + ["\(try connection.value("PRAGMA user_version"))"]
  }

  /// The names of the files in the directory, except those of the log.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted().filter {
      $0 != ".shared" && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
    }
  }
}

/// The first version of a model.
struct PersonV1: StoreModel, Hashable {
  static let table = TableSpec("person", indexes: ["name"])
  var id: Int
  var name: String
}

/// The second: with a level.
struct PersonV2: StoreModel, Hashable {
  static let table = TableSpec("person", indexes: ["name"])
  var id: Int
  var name: String
  var level: Int
}

/// The third: with the name in two parts.
struct PersonV3: StoreModel, Hashable {
  static let table = TableSpec("person", indexes: ["level"], unique: [["first", "last"]])
  var id: Int
  var first: String
  var last: String?
  var level: Int
}

extension Schema {
  static let first = Schema(version: 1, models: [PersonV1.self])

  static var second: Schema {
    Schema(version: 2, models: [PersonV2.self]) {
      MigrationStep(to: 2) { try $0.addColumn("level", .integer, to: "person", default: 1) }
    }
  }

  static var third: Schema {
    Schema(version: 3, models: [PersonV3.self]) {
      MigrationStep(to: 2) { try $0.addColumn("level", .integer, to: "person", default: 1) }
      MigrationStep(to: 3) {
        try $0.transform(PersonV3.self, from: PersonV2.self) { old in
          let parts = old.name.split(separator: " ", maxSplits: 1).map(String.init)
          return PersonV3(id: old.id, first: parts[0], last: parts.count > 1 ? parts[1] : nil, level: old.level)
        }
      }
    }
  }
}

/// Collects values of several threads or closures.
final class Kept<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [Value] = []

  var values: [Value] { lock.withLock { kept } }

  func keep(_ value: Value) { lock.withLock { kept.append(value) } }
}
