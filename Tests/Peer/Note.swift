/// The value that notes hold; the tests declare their own, as another app would.
struct Note: Codable, Hashable, Sendable, CustomStringConvertible {
  var count: Int
  var text: String

  /// The number, and the text or, if it is long, its first character and its length.
  var description: String {
    text.utf8.count > 100 ? "\(count) \(text.prefix(1))*\(text.utf8.count)" : "\(count) \(text)"
  }
}
