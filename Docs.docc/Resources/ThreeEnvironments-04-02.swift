import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
let app = try AppContainer(home: home)
let company = try app.create(name: "Company")
let testing = try app.create(name: "Testing", description: "For whoever looks for faults")

let note = try AppGroupsFile(name: "note.json", initialValue: "nothing to do", scope: app.scope)

try app.activate(testing)
try note.write("the button does nothing")
let archive = FileManager.default.temporaryDirectory.appending(path: "org.example.notes.container")
try app.export(testing, to: archive)

let found = try app.importEnvironment(from: archive, name: "Found on Monday")
try app.activate(id: AppContainer.Environment.defaultID)
print(note.value)  // Prints "nothing to do"
try app.activate(found)
print(note.value)  // Prints "the button does nothing"
