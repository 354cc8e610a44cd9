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

let themes = preferences.theme.sink { print("theme", $0) }  // Prints "theme light"
let sizes = preferences.fontSize.sink { print("size", $0) }  // Prints "size 12.0"

try preferences.fontSize.write(14)  // Prints "size 14.0"
try preferences.theme.write(.dark)  // Prints "theme dark"
try preferences.theme.reset()  // Prints "theme light"
