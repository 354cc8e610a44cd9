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

print(preferences.theme.value, preferences.fontSize.value)  // Prints "light 12.0"

try preferences.theme.write(.dark)
try preferences.fontSize.update { $0 += 2 }
print(preferences.theme.value, preferences.fontSize.value)  // Prints "dark 14.0"
try preferences.suite.synchronize()  // The file follows on its own after a moment.
print(try String(contentsOf: preferences.suite.url, encoding: .utf8), terminator: "")
// Prints "{"
// Prints "  "fontSize" : 14,"
// Prints "  "theme" : "dark""
// Prints "}"
