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

let isHelper = CommandLine.arguments.contains("helper")
let share = try DatabaseShare(
  list, container: container, author: isHelper ? "helper" : "app", tables: ["item"])

if isHelper {
  // The other process.
  try list.write { try $0.put(Item(id: UUID(), text: "tea")) }
  exit(0)
}

let left = list.query(Item.where { $0.isDone == false }.ordered { $0.text })
let display = left.sink { items in
  print(items.map(\.text))
  if items.contains(where: { $0.text == "tea" }) { exit(0) }
}
let process = try Process.run(URL(filePath: CommandLine.arguments[0]), arguments: ["helper"])
dispatchMain()
// Prints "[]"
// Prints "["tea"]"
