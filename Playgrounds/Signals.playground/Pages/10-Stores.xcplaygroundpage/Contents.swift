//: # Stores
//:
//: A database whose rows are values of your own types, whose queries are signals, and whose changes reach every
//: process.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 10-Stores`.

import Dispatch
import Foundation
import SignalsKit

//: ## Models
//:
//: Any `Codable` and `Identifiable` value becomes a row once it declares its table. Its properties are the columns.

struct Item: StoreModel, Equatable {
  static let table = TableSpec("item", indexes: ["aisle"])

  var id: Int
  var text: String
  var aisle: Int
  var isDone = false
}

for column in try Item.columns { print(column) }
// Prints "id INTEGER NOT NULL"
// Prints "text TEXT NOT NULL"
// Prints "aisle INTEGER NOT NULL"
// Prints "isDone INTEGER NOT NULL"

//: A schema describes the content of the file. If a model changes later, raise the version, and add a migration step.

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let file = directory.appending(path: "list.sqlite")
let schema = Schema(version: 1, models: [Item.self])
let list = try Database(.file(file), schema: schema)

//: ## Transactions
//:
//: A write takes effect as a whole or not at all.

try list.write { transaction in
  try transaction.put([Item(id: 1, text: "bread", aisle: 3), Item(id: 2, text: "milk", aisle: 1)])
}

struct ChangedMind: Error {}
do {
  try list.write { transaction in
    try transaction.deleteAll(Item.self)
    throw ChangedMind()
  }
} catch is ChangedMind {}
print(try list.read { try $0.count(Item.self) })  // Prints "2"

//: A row that was read a while ago is written only if nobody has changed it since, or a closure merges the fields.

let base = Item(id: 2, text: "milk", aisle: 1)
try list.write { transaction in try transaction.update(Item.self, id: 2) { $0.aisle = 2 } }
do {
  try list.write { try $0.put(Item(id: 2, text: "oat milk", aisle: 1), basedOn: base) }
} catch let conflict as WriteConflict<Item> {
  print("now in aisle", conflict.stored?.aisle ?? 0)  // Prints "now in aisle 2"
}
try list.write { try $0.put(base) }

//: ## Queries
//:
//: A query is a value. A property that does not exist, or a value of another type, does not compile. Operands are bound
//: as parameters, so no text can inject SQL.

let near = Item.where { $0.aisle < 3 }.ordered { $0.text }
print(near)  // Prints "SELECT * FROM item WHERE aisle < 3 ORDER BY text"
print(try list.read { try $0.all(near) }.map(\.text))  // Prints "["milk"]"

//: Each line of a condition must hold. An update of all rows of a query is one statement.

let wanted: String? = "bread"
let found = Item.where {
  $0.isDone == false
  if let wanted { $0.text.contains(wanted) }
}
print(try list.write { try $0.updateAll(found) { $0.aisle.set(to: 4) } })  // Prints "1"
print(try list.write { try $0.updateAll(found) { $0.aisle.set(to: 3) } })  // Prints "1"

//: A selection reads some columns, or aggregates. Columns beside aggregates are groups.

for (aisle, count) in try list.read({ try $0.all(Item.select { ($0.aisle, $0.id.count()) }) }) { print(aisle, count) }
// Prints "1 1"
// Prints "3 1"
print(try list.read { try $0.max(Query<Item>()) { $0.aisle } } ?? 0)  // Prints "3"

//: For anything that a query cannot express, use SQL. Its rows can be values of any `Decodable` type.

struct Shelf: Decodable { var aisle: Int, text: String }
let shelves = try list.read { try $0.all("SELECT text, aisle FROM item ORDER BY aisle", as: Shelf.self) }
print(shelves.map(\.text))  // Prints "["milk", "bread"]"

//: ## Observe a query
//:
//: It sends the current rows, and then the new rows after each change that affects them.

let arrived = DispatchSemaphore(value: 0)
let open = list.query(Item.where { $0.isDone == false }.ordered { $0.aisle })
let texts = open.sink { items in
  print(items.map(\.text))
  arrived.signal()
}
arrived.wait()  // Prints "["milk", "bread"]"

try list.write { try $0.put(Item(id: 3, text: "tea", aisle: 2)) }
arrived.wait()  // Prints "["milk", "tea", "bread"]"

texts.cancel()

//: ## Observe any read
//:
//: The result of a closure is sent again when something that the closure has read changes.

let aisles = list.observe { transaction in
  let rows = try transaction.rows("SELECT aisle, count(*) AS items FROM item GROUP BY aisle")
  return rows.map { "\($0["aisle"]): \($0["items"])" }
}
let sizes = aisles.sink { aisles in
  print(aisles)
  arrived.signal()
}
arrived.wait()  // Prints "["1: 1", "2: 1", "3: 1"]"
try list.write { try $0.put(Item(id: 9, text: "rice", aisle: 2)) }
arrived.wait()  // Prints "["1: 1", "2: 2", "3: 1"]"
sizes.cancel()

//: A window shows a part of a long list, and reads only that part.

let window = list.window(over: Item.ordered { $0.aisle }, size: 2)
let pages = window.sink { page in
  print(page.rows.map(\.text), page.hasNext)
  arrived.signal()
}
arrived.wait()  // Prints "["milk", "tea"] true"
window.moveForward()
arrived.wait()  // Prints "["rice", "bread"] false"
pages.cancel()

//: A cursor passes rows one at a time, so they need not fit in memory.

try list.read { transaction in
  try transaction.forEach(Item.ordered { $0.text }) { print($0.text) }
}
// Prints "bread"
// Prints "milk"
// Prints "rice"
// Prints "tea"
try list.write { try $0.delete(Item.self, id: 9) }

//: A read that fails does not end a query. The last rows stay, the status has the reason, and the query resumes when
//: the read succeeds again.

let notes = list.observe { try $0.value("SELECT count(*) FROM note") }
let counts = notes.sink { count in
  print(count, "note")
  arrived.signal()
}
print(notes.status.value.failure == nil)  // Prints "false"
try list.write { try $0.execute(script: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('hello')") }
arrived.wait()  // Prints "1 note"
counts.cancel()

//: ## Observe a row
//:
//: A live object always has the current value of its row. If the row is deleted, the value is `nil`.

let tea = try list.live(Item.self, id: 3)
let teas = tea.sink { print($0?.text ?? "gone") }  // Prints "tea"
try tea.update { $0.text = "green tea" }  // Prints "green tea"
try list.write { try $0.delete(Item.self, id: 3) }  // Prints "gone"
teas.cancel()

//: ## Constraints, assigned keys and search
//:
//: SQLite checks references and conditions for every statement, assigns keys, and finds rows by their words, in text as
//: people type it.

struct Recipe: StoreModel, Equatable {
  static let table = TableSpec("recipe", checks: ["length(title) > 0"], search: SearchIndex(["title"]))

  var id: Int64?
  var title: String
}

let recipes = try Database(
  .memory,
  schema: Schema(
    version: 1, models: [Recipe.self],
    creation: { migration in
      try migration.put(Recipe(title: "Crème brûlée"))
    }))
print(try recipes.write { try $0.put(Recipe(title: "Omelette")) }.id ?? 0)  // Prints "2"
print(try recipes.read { try $0.all(Recipe.matching("creme \"")) }.map(\.title))  // Prints "["Crème brûlée"]"

do {
  try recipes.write { try $0.put(Recipe(title: "")) }
} catch DatabaseError.constraint(let failure) {
  print(failure.message)  // Prints "CHECK constraint failed: length(title) > 0"
}

//: A backup copies one moment of a database in use, and a check lists faults.

let copy = directory.appending(path: "copy.sqlite")
try recipes.backup(to: copy) { if $0.isCompleted { print("copied") } }  // Prints "copied"
print(try recipes.integrityCheck())  // Prints "[]"
try recipes.withoutTransaction { try $0.execute("VACUUM") }

//: ## The changes of a transaction
//:
//: They are listed by table and key, whichever statement made them.

let changes = list.changes.sink { print("updated", $0["item"].updated) }
try list.write { try $0.execute("UPDATE item SET aisle = 9 WHERE text = ?", "bread") }  // Prints "updated [1]"
changes.cancel()

//: ## Share a database
//:
//: Each process opens the file, and creates a share with its own name. Here one process plays both, with two databases.

let share = try DatabaseShare(list, container: container, author: "app", tables: ["item"])

let same = try Database(.file(file), schema: schema)
let helper = try DatabaseShare(same, container: container, author: "helper", tables: ["item"])

let incoming = share.incoming.sink { change in
  print(change.author ?? "", "inserted", change["item"].inserted)
  arrived.signal()
}
try same.write { try $0.put(Item(id: 4, text: "jam", aisle: 3)) }
arrived.wait()  // Prints "helper inserted [4]"

//: Queries and live objects follow the other process automatically.

let milk = try list.live(Item.self, id: 2)
let milks = milk.sink { item in
  guard item?.isDone == true else { return }
  print("milk is done")
  arrived.signal()
}
incoming.cancel()

//: Two shares with the same name would not receive each other's changes, so the second waits, and is then refused.

do {
  let second = try Database(.file(file), schema: schema)
  _ = try DatabaseShare(second, container: container, author: "app", lockTimeout: .milliseconds(100))
} catch {
  guard case .authorInUse(let name, _, _, _) = error else { throw error }
  print(name, "is taken")  // Prints "app is taken"
}
try same.write { try $0.update(Item.self, id: 2) { $0.isDone = true } }
arrived.wait()  // Prints "milk is done"

//: Changes that are committed while there is no subscriber are kept, and delivered to the next one first.

print(try share.pendingCount())  // Prints "1"

milks.cancel()
helper.close()
share.close()
try FileManager.default.removeItem(at: directory)
