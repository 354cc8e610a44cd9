import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
let note = home.appending(path: "note.txt")
try Data("buy milk".utf8).write(to: note)

let app = try AppContainer(home: home)
print(app.active.value.name)  // Prints "Default"
print(try String(contentsOf: note, encoding: .utf8))  // Prints "buy milk"
