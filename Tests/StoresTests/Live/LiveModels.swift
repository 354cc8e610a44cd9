import Foundation
import Signals
import Stores

/// A row of a list.
struct Errand: StoreModel, Equatable {
  static let table = TableSpec("errand")
  var id: Int
  var title = ""
  var isDone = false
}

/// A model that is not `Equatable`.
struct Opaque: StoreModel {
  static let table = TableSpec("opaque")
  var id: String
  var number = 0
}

/// A model whose column can hold numbers that do not fit its property.
struct Level: StoreModel, Equatable {
  static let table = TableSpec("level")
  var id: Int
  var level: UInt8 = 0
}

/// Opens a database with these tables.
func liveDatabase(_ location: DatabaseLocation = .memory) throws -> Database {
  try Database(location, schema: Schema(version: 1, models: [Errand.self, Opaque.self, Level.self]))
}
