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

try preferences.theme.write(.dark)

// What a newer version of the app might write.
let newer = #"{ "theme": "sepia", "fontSize": 18, "columns": 2.0 }"#
try Data(newer.utf8).write(to: preferences.suite.url)

for await status in preferences.theme.status.values {
  guard let failure = status.failure else { continue }
  FileHandle.standardError.write(Data("\(failure)\n".utf8))
  break
}
print(preferences.theme.value, preferences.fontSize.value)  // Prints "dark 18.0"

try preferences.fontSize.write(20)
try preferences.suite.synchronize()  // The file follows on its own after a moment.
print(try String(contentsOf: preferences.suite.url, encoding: .utf8), terminator: "")
// Prints "{"
// Prints "  "columns" : 2.0,"
// Prints "  "fontSize" : 20,"
// Prints "  "theme" : "sepia""
// Prints "}"
