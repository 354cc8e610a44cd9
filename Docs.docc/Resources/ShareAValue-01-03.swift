import Foundation
import SignalsKit

struct Settings: Codable, Sendable {
  var theme = "light"
  var fontSize = 12
}

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)
print(settings.value.theme)  // Prints "light"
