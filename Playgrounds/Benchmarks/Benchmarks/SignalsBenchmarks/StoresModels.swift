import Catalog
import Foundation
import GRDB
import Stores

extension Person: StoreModel {
  static let table = TableSpec("person")
}

/// Rows that are made of `Codable` values and become such again, by each in its own way.
func registerModels() {
  registerOurModels()
  registerTypedQueries()
  registerGRDBRecords()
}

private func opened(filled: Bool) -> Stores.Database {
  do {
    let schema = Stores.Schema(version: 1, models: [Person.self])
    let database = try Stores.Database(.file(temporaryFile()), schema: schema)
    if filled { try database.write { try $0.put(people) } }
    return database
  } catch {
    fatalError("\(error)")
  }
}

private func registerOurModels() {
  measure("modelCommit", ours) {
    let database = opened(filled: false)
    return { count in
      for index in 0..<count { attempt { try database.write { try $0.put(people[index]) } } }
    }
  }
  measure("modelBatch", ours) {
    let database = opened(filled: false)
    return { count in
      attempt { try database.write { try $0.put(people[..<count]) } }
    }
  }
  measure("modelPoints", ours) {
    let database = opened(filled: true)
    return { count in
      attempt {
        try database.read { transaction in
          for index in 0..<count { sink(try transaction.find(Person.self, id: Int64(index + 1))) }
        }
      }
    }
  }
  measure("modelScan", ours) {
    let database = opened(filled: true)
    return { count in
      attempt { sink(try database.read { try $0.all(Query<Person>().limit(count)) }) }
    }
  }
}

/// A query that is built anew for each row: by properties, and by the names of columns.
private func registerTypedQueries() {
  measure("storeTyped", ours) {
    let database = opened(filled: true)
    return { count in
      attempt {
        try database.read { transaction in
          for index in 0..<count {
            let key = Int64(index + 1)
            sink(try transaction.first(Person.where { $0.id == key && $0.age >= 0 }))
          }
        }
      }
    }
  }
  measure("storeTyped", "\(ours), by name") {
    let database = opened(filled: true)
    return { count in
      attempt {
        try database.read { transaction in
          for index in 0..<count {
            let key = Int64(index + 1)
            sink(try transaction.first(Person.where { $0.named("id") == key && $0.named("age") >= 0 }))
          }
        }
      }
    }
  }
}

private func openedGRDB(filled: Bool) -> DatabasePool {
  do {
    let pool = try DatabasePool(path: temporaryFile().path)
    try pool.write { database in
      try database.execute(sql: schema)
      if filled { for person in people { try person.insert(database) } }
    }
    return pool
  } catch {
    fatalError("\(error)")
  }
}

private func registerGRDBRecords() {
  measure("modelCommit", "GRDB") {
    let pool = openedGRDB(filled: false)
    return { count in
      for index in 0..<count { attempt { try pool.write { try people[index].upsert($0) } } }
    }
  }
  measure("modelBatch", "GRDB") {
    let pool = openedGRDB(filled: false)
    return { count in
      attempt {
        try pool.write { database in
          for index in 0..<count { try people[index].upsert(database) }
        }
      }
    }
  }
  measure("modelPoints", "GRDB") {
    let pool = openedGRDB(filled: true)
    return { count in
      attempt {
        try pool.read { database in
          for index in 0..<count { sink(try Person.fetchOne(database, key: Int64(index + 1))) }
        }
      }
    }
  }
  measure("modelScan", "GRDB") {
    let pool = openedGRDB(filled: true)
    return { count in
      attempt { sink(try pool.read { try Person.limit(count).order(Column("id")).fetchAll($0) }) }
    }
  }
}
