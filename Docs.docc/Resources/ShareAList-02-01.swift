import Dispatch
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

let shown = DispatchSemaphore(value: 0)
let left = list.query(Item.where { $0.isDone == false }.ordered { $0.text })
let display = left.sink { items in
  print(items.map(\.text))
  shown.signal()
}
shown.wait()  // Prints "["bread", "milk"]"

try list.write { try $0.put(Item(id: UUID(), text: "jam")) }
shown.wait()  // Prints "["bread", "jam", "milk"]"
