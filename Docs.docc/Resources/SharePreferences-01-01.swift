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
