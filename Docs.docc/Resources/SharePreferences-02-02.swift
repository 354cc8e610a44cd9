import Foundation
import SignalsKit

final class Preferences: Sendable {
  enum Theme: String, Codable { case light, dark }

  let suite: AppGroupsSuite
  let theme: SuiteValue<Theme>
  let fontSize: SuiteValue<Double>

  init(container: AppGroupsContainer) throws {
    suite = try AppGroupsSuite(name: "preferences.json", container: container)
    theme = suite.preference("theme", default: .light)
    fontSize = suite.preference("fontSize", default: 12)
  }
}

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let preferences = try Preferences(container: AppGroupsContainer(directory: directory))

if CommandLine.arguments.contains("widget") {
  // The other process.
  try preferences.fontSize.write(16)
  exit(0)
}

let themes = preferences.theme.sink { print("theme", $0) }  // Prints "theme light"
let sizes = preferences.fontSize.sink { size in
  print("size", size)
  if size == 16 { exit(0) }
}
// Prints "size 12.0"
let widget = try Process.run(URL(filePath: CommandLine.arguments[0]), arguments: ["widget"])
dispatchMain()
// Prints "size 16.0"
