import Dispatch
import Foundation
import GRDB
import Machine
import Signals
import Stores

private let rows = [1_000, 10_000, 100_000, 1_000_000]

/// Tables with many rows, and queries of which few change.
let storeCurves = [
  Curve(
    "reading", "Read a row by its key, one transaction", by: "rows", rows,
    [
      .init("Signals") { size in
        let (directory, database) = try filled(size)
        var key = 0
        return .repeated { count in
          for _ in 0..<count {
            key = next(key, below: size)
            guard try database.read({ try $0.find(Item.self, id: key) }) != nil else { throw NoRow(key: key) }
          }
          withExtendedLifetime(directory) {}
        }
      },
      .init("SQLite") { size in
        let table = try RawTable(rows: size)
        var key = 0
        return .repeated { count in
          for _ in 0..<count {
            key = next(key, below: size)
            guard table.read(key) > 0 else { throw NoRow(key: key) }
          }
        }
      },
    ]),
  Curve(
    "putting", "Put a row, one transaction", by: "rows", rows,
    [
      .init("Signals") { size in
        let (directory, database) = try filled(size)
        var key = 0
        return .repeated { count in
          for number in 0..<count {
            key = next(key, below: size)
            try database.write { try $0.put(Item(id: key, text: "number \(number)")) }
          }
          withExtendedLifetime(directory) {}
        }
      },
      .init("SQLite") { size in
        let table = try RawTable(rows: size)
        var key = 0
        return .repeated { count in
          for number in 0..<count {
            key = next(key, below: size)
            table.put(key, "number \(number)")
          }
        }
      },
    ]),
  Curve(
    "queries", "Put a row, until its live query has it, beside queries for other rows", by: "live queries",
    [1, 10, 100, 1_000],
    [
      .init("Signals") { size in
        let (directory, database) = try filled(size)
        let arrival = Arrival()
        let objects = try (0..<size).map { id in
          try database.live(Item.self, id: id).sink { if id == 0, let item = $0 { arrival.note(item.number) } }
        }
        return putting(seenBy: arrival, keeping: (directory, objects)) { item in
          try database.write { try $0.put(item) }
        }
      },
      .init("GRDB") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let pool = try DatabasePool(path: directory.file("items.sqlite").path)
        try pool.write { database in
          try database.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
          for id in 0..<size { try Item(id: id, text: "number 0").insert(database) }
        }
        let arrival = Arrival()
        let observations = (0..<size).map { id in
          ValueObservation.tracking { try Item.fetchOne($0, key: id) }.start(
            in: pool, scheduling: .async(onQueue: DispatchQueue(label: "observation", qos: .userInitiated)),
            onError: { _ in }, onChange: { if id == 0, let item = $0 { arrival.note(item.number) } })
        }
        return putting(seenBy: arrival, keeping: (directory, observations)) { item in
          try pool.write { try item.upsert($0) }
        }
      },
    ]),
]

/// A row of the tables.
struct Item: Codable, Identifiable, Sendable, Equatable, StoreModel, FetchableRecord, PersistableRecord {
  static let table = TableSpec("item")
  static let databaseTableName = "item"

  var id: Int
  var text: String

  var number: Int { Int(text.dropFirst("number ".count)) ?? 0 }
}

struct NoRow: Error {
  let key: Int
}

/// Returns keys in an order that is no order of the table.
private func next(_ key: Int, below count: Int) -> Int { (key + 7_919) % count }

private func filled(_ count: Int) throws -> (TemporaryDirectory, Stores.Database) {
  let directory = try TemporaryDirectory(isInMemory: true)
  let schema = Stores.Schema(version: 1, models: [Item.self])
  let database = try Stores.Database(.file(directory.file("items.sqlite")), schema: schema)
  try database.write { transaction in
    for id in 0..<count { try transaction.put(Item(id: id, text: "number 0")) }
  }
  return (directory, database)
}

/// One change of the first row at a time.
private func putting(
  seenBy arrival: Arrival, keeping observations: some Any, _ put: @escaping (Item) throws -> Void
) -> Work {
  var number = 0
  return .single {
    number += 1
    let start = DispatchTime.now().uptimeNanoseconds
    try put(Item(id: 0, text: "number \(number)"))
    let time = try arrival.wait(for: number)
    withExtendedLifetime(observations) {}
    return Int(time) - Int(start)
  }
}
