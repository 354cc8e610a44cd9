import Foundation
import SignalsKit

struct Settings: Codable, Sendable {
  var theme = "light"
  var fontSize = 12
}
