/// A JSON value, as the inspector shows it.
///
/// It is `Codable`. A number that a `Double` cannot hold exactly is encoded as an object with the member `$number`, so
/// that a reader in JavaScript does not change it.
@frozen
public enum InspectedValue: Sendable, Hashable {
  /// The value `null`.
  case null

  /// `true` or `false`.
  case bool(Bool)

  /// An integer.
  case integer(Int)

  /// A number with a fraction or an exponent.
  case number(Double)

  /// A number that neither an `Int` nor a `Double` can hold, as it is written.
  case longNumber(String)

  /// A text.
  case string(String)

  /// An array.
  case array([InspectedValue])

  /// An object; the order of its members has no meaning.
  case object([String: InspectedValue])

  /// The text that replaces a redacted value.
  package static let redacted = InspectedValue.string("••••••••")

  /// The member of an object with a name; `nil` for another value or name.
  ///
  /// - Parameter name: The name.
  public subscript(name: String) -> InspectedValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element of an array at a position; `nil` for another value or position.
  ///
  /// - Parameter index: The position.
  public subscript(index: Int) -> InspectedValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }

  /// The text, or `nil` for another value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The integer, or `nil` for another value.
  public var int: Int? { if case .integer(let number) = self { number } else { nil } }

  /// The number, or `nil` for another value; an integer is rounded if a `Double` cannot hold it.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// The elements of an array, or `nil` for another value.
  public var array: [InspectedValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The name of the JSON type: `null`, `bool`, `number`, `string`, `array` or `object`.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .integer, .number, .longNumber: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension InspectedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  ///
  /// - Parameter value: The literal.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an integer.
  ///
  /// - Parameter value: The literal.
  public init(integerLiteral value: Int) { self = .integer(value) }

  /// Creates a Boolean value.
  ///
  /// - Parameter value: The literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a number.
  ///
  /// - Parameter value: The literal.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates an array.
  ///
  /// - Parameter elements: The elements.
  public init(arrayLiteral elements: InspectedValue...) { self = .array(elements) }

  /// Creates an object.
  ///
  /// - Parameter elements: The members; the last one of a name counts.
  public init(dictionaryLiteral elements: (String, InspectedValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension InspectedValue: CustomStringConvertible {
  /// The value as JSON on one line, with sorted names.
  public var description: String { text }
}
