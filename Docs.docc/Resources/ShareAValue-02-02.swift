import Foundation
import SignalsKit

struct Settings: Codable, Sendable {
  var theme = "light"
  var fontSize = 12
}

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)

let display = settings.sink { print("\($0.theme), size \($0.fontSize)") }  // Prints "light, size 12"

try settings.write(Settings(theme: "dark", fontSize: 14))  // Prints "dark, size 14"
