import Foundation
import SignalsKit

struct Settings: Codable, Sendable {
  var theme = "light"
  var fontSize = 12
}

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)

if CommandLine.arguments.contains("widget") {
  // The other process.
  try settings.update { $0.fontSize += 2 }
  exit(0)
}

let display = settings.sink { value in
  print("\(value.theme), size \(value.fontSize)")
  if value.fontSize == 14 { exit(0) }
}
let widget = try Process.run(URL(filePath: CommandLine.arguments[0]), arguments: ["widget"])
dispatchMain()
// Prints "light, size 12"
// Prints "light, size 14"
