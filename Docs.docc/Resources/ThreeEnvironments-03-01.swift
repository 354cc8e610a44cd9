import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
let app = try AppContainer(home: home)
let company = try app.create(name: "Company")
let testing = try app.create(name: "Testing", description: "For whoever looks for faults")

let note = try AppGroupsFile(name: "note.json", initialValue: "nothing to do", scope: app.scope)
let view = note.sink { print($0) }  // Prints "nothing to do"
try note.write("buy milk")  // Prints "buy milk"

try app.activate(company)  // Prints "nothing to do"
try note.write("call the customer")  // Prints "call the customer"

try app.activate(id: AppContainer.Environment.defaultID)  // Prints "buy milk"
