import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
let note = home.appending(path: "note.txt")
try Data("buy milk".utf8).write(to: note)

let app = try AppContainer(home: home)
let company = try app.create(name: "Company")
let testing = try app.create(name: "Testing", description: "For whoever looks for faults")
print(app.environments.value.map(\.name))  // Prints "["Default", "Company", "Testing"]"
print(app.active.value.name)  // Prints "Default"
