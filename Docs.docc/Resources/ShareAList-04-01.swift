import Foundation
import SignalsKit

struct Item: StoreModel, Equatable {
  static let table = TableSpec("item", indexes: ["isDone"])

  var id: UUID
  var text: String
  var isDone = false
}

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.list")
let container = try AppGroupsContainer(directory: directory)
let file = container.containerURL.appending(path: "list.sqlite")

do {
  let list = try Database(.file(file), schema: Schema(version: 1, models: [Item.self]))
  try list.write { try $0.put(Item(id: UUID(), text: "jam")) }
}

// The next version of the app.
struct CountedItem: StoreModel, Equatable {
  static let table = TableSpec("item", indexes: ["isDone"])

  var id: UUID
  var text: String
  var isDone = false
  var amount: Int
}

let next = Schema(version: 2, models: [CountedItem.self]) {
  MigrationStep(to: 2) { try $0.addColumn("amount", .integer, to: "item", default: 1) }
}
let list = try Database(.file(file), schema: next)
for item in try list.read({ try $0.all(CountedItem.self) }) { print(item.text, item.amount) }  // Prints "jam 1"
