import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
let app = try AppContainer(home: home)
let company = try app.create(name: "Company")
let testing = try app.create(name: "Testing", description: "For whoever looks for faults")

let note = try AppGroupsFile(name: "note.json", initialValue: "nothing to do", scope: app.scope)
let view = note.sink { print($0) }  // Prints "nothing to do"
let title = app.active.map(\.name).sink { print("—", $0) }  // Prints "— Default"

try app.activate(company)  // Prints "— Company"
try app.activate(testing)  // Prints "— Testing"
