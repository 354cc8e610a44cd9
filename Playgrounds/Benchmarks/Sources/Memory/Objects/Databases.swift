import Dispatch
import Foundation
import GRDB
import Machine
import Signals
import Stores

/// The queries that follow a database, each for a row of its own.
let databaseObjects = [
  MeasuredObject(
    "live row of a database", count: 5_000,
    ours: { count in
      let (directory, database) = try filled(count)
      let arrivals = Arrivals()
      let rows = try (0..<count).map { id in
        try database.live(Item.self, id: id).sink { if $0 != nil { arrivals.add() } }
      }
      arrivals.wait(for: count)
      return Kept((directory, database, rows))
    },
    beside: .init("GRDB", make: observations)),
  MeasuredObject(
    "live query of one row", count: 5_000,
    ours: { count in
      let (directory, database) = try filled(count)
      let arrivals = Arrivals()
      let queries = (0..<count).map { id in
        database.query(Item.where { $0.id == id }).sink { if !$0.isEmpty { arrivals.add() } }
      }
      arrivals.wait(for: count)
      return Kept((directory, database, queries))
    },
    beside: .init("GRDB", make: observations)),
]

@Sendable private func observations(_ count: Int) throws -> any Sendable {
  let directory = try TemporaryDirectory(isInMemory: true)
  let pool = try DatabasePool(path: directory.file("items.sqlite").path)
  try pool.write { database in
    try database.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    for id in 0..<count { try Item(id: id, text: "text").insert(database) }
  }
  let arrivals = Arrivals()
  let queue = DispatchQueue(label: "observations", qos: .userInitiated)
  let observations = (0..<count).map { id in
    ValueObservation.tracking { try Item.fetchOne($0, key: id) }.start(
      in: pool, scheduling: .async(onQueue: queue), onError: { _ in }, onChange: { if $0 != nil { arrivals.add() } })
  }
  arrivals.wait(for: count)
  return Kept((directory, pool, observations))
}

private func filled(_ count: Int) throws -> (TemporaryDirectory, Stores.Database) {
  let directory = try TemporaryDirectory(isInMemory: true)
  let schema = Stores.Schema(version: 1, models: [Item.self])
  let database = try Stores.Database(.file(directory.file("items.sqlite")), schema: schema)
  try database.write { transaction in
    for id in 0..<count { try transaction.put(Item(id: id, text: "text")) }
  }
  return (directory, database)
}

/// A row of the tables.
private struct Item: Codable, Identifiable, Sendable, Equatable, StoreModel, FetchableRecord, PersistableRecord {
  static let table = TableSpec("item")
  static let databaseTableName = "item"

  var id: Int
  var text: String
}

/// The number of queries that have delivered their first value.
private final class Arrivals: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func add() { semaphore.signal() }

  func wait(for count: Int) {
    for _ in 0..<count { semaphore.wait() }
  }
}
