/// The value that notes hold; the peer declares its own, as another app would.
struct Note: Codable, Hashable, Sendable {
  var count = 0
  var text = ""
}
