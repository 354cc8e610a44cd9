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

let defaults = UserDefaults.standard
defaults.set("dark", forKey: "theme")

let adoption = try preferences.suite.adopt(from: defaults, keys: ["theme", "fontSize"])
print("taken over:", adoption.adopted)  // Prints "taken over: ["theme"]"
print(preferences.theme.value)  // Prints "dark"
