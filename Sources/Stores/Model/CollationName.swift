/// The name of a collation, which compares and sorts text.
public struct CollationName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name in SQL.
  public let rawValue: String

  /// Creates the name of a collation.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates the name of a collation.
  public init(stringLiteral name: String) {
    rawValue = name
  }

  /// The collation that compares the bytes of text, which is the default.
  public static let binary = CollationName(rawValue: "BINARY")

  /// The collation that treats capital and small ASCII letters as equal.
  public static let nocase = CollationName(rawValue: "NOCASE")

  /// The collation that ignores spaces at the end of text.
  public static let rtrim = CollationName(rawValue: "RTRIM")
}
