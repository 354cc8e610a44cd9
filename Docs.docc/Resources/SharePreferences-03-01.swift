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

let title = Property.derived(preferences.theme.property, preferences.fontSize.property) { theme, size in
  "\(theme), size \(size)"
}
let display = title.sink { print($0) }  // Prints "light, size 12.0"

let theme = preferences.theme.key
let fontSize = preferences.fontSize.key
try preferences.suite.update { contents in
  try contents.set(.dark, for: theme)
  try contents.set(contents.value(for: fontSize) * 2, for: fontSize)
}
// Prints "dark, size 24.0"
