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

let bread = Item(id: UUID(), text: "bread")
try list.write { try $0.put([bread, Item(id: UUID(), text: "milk")]) }

let row = try list.live(Item.self, id: bread.id)
let display = row.sink { item in
  print(item.map { $0.isDone ? "\($0.text), done" : $0.text } ?? "deleted")
}
// Prints "bread"
try row.update { $0.isDone = true }  // Prints "bread, done"
try list.write { try $0.delete(Item.self, id: bread.id) }  // Prints "deleted"
