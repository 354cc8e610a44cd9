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
let list = try Database(.file(file), schema: Schema(version: 1, models: [Item.self]))

try list.write { transaction in
  try transaction.put(Item(id: UUID(), text: "milk"))
  try transaction.put(Item(id: UUID(), text: "bread", isDone: true))
}
let left = Item.where { $0.isDone == false }.ordered { $0.text }
print(try list.read { try $0.all(left) }.map(\.text))  // Prints "["milk"]"
