import FileSignals
public import Foundation

/// A value as SQLite stores it.
///
/// It is what statements are given and what rows consist of. Literals make one, and so does everything that is
/// ``SQLiteConvertible``:
///
/// ```swift
/// import Stores
///
/// let values: [SQLiteValue] = [1, 2.5, "three", true, nil]
/// print(values.map(\.description).joined(separator: ", "))
/// // Prints "1, 2.5, 'three', 1, NULL"
/// ```
///
/// Two values are equal if type and content are: the integer 1 is not the real number 1.0. Texts are compared by their
/// bytes, as SQLite does; Swift takes two for equal that look alike.
public enum SQLiteValue: Sendable {
  /// No value.
  case null
  /// A whole number; Booleans are stored as 0 and 1.
  case integer(Int64)
  /// A number with a fraction. SQLite stores one that is no number as NULL.
  case real(Double)
  /// Text in UTF-8.
  case text(String)
  /// Any bytes.
  case blob(Data)

  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  /// The whole number, if it is one.
  public var int64Value: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, whole or not, if it is one; large whole numbers are rounded.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// The text, if it is text.
  public var stringValue: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, if it is a blob.
  public var dataValue: Data? {
    if case .blob(let value) = self { value } else { nil }
  }
}

extension SQLiteValue: Hashable {
  /// Whether type and content are the same.
  public static func == (left: SQLiteValue, right: SQLiteValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): ExactString(left) == ExactString(right)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  /// Adds type and content to a hasher.
  ///
  /// - Parameter hasher: What to add them to.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value)
    // The same for texts that look alike, which are hardly ever together.
    case .text(let value):
      hasher.combine(3)
      hasher.combine(value)
    case .blob(let value):
      hasher.combine(4)
      hasher.combine(value)
    }
  }
}

extension SQLiteValue: CustomStringConvertible {
  /// The value as one would write it in SQL; long ones are not shortened.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): "'" + value.replacing("'", with: "''") + "'"
    case .blob(let value): "x'" + value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Makes a number.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// Makes a text.
  public init(stringLiteral value: String) { self = .text(value) }

  /// Makes 1 for `true` and 0 for `false`.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }

  /// Makes NULL.
  public init(nilLiteral: ()) { self = .null }
}
