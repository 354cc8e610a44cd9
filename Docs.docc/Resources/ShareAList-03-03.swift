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

let process = try Process.run(URL(filePath: CommandLine.arguments[0]), arguments: ["helper"])
process.waitUntilExit()
print(try share.pendingCount(), "waiting")  // Prints "1 waiting"

let incoming = share.incoming.sink { changes in
  print(changes.author ?? "", "added", changes["item"].inserted.count)
  exit(0)
}
dispatchMain()
// Prints "helper added 1"
