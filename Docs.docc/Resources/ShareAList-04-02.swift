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

// The next version of the app, in which the number was forgotten.
struct CountedItem: StoreModel, Equatable {
  static let table = TableSpec("item", indexes: ["isDone"])

  var id: UUID
  var text: String
  var isDone = false
  var amount: Int
}

do {
  _ = try Database(.file(file), schema: Schema(version: 1, models: [CountedItem.self]))
} catch .schema(.mismatch(let table, let differences), _) {
  print(table, "does not fit")  // Prints "item does not fit"
  FileHandle.standardError.write(Data("\(differences)\n".utf8))
}
