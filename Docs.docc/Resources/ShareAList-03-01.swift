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
