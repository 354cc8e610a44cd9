import StrictJSON

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
  ///
  /// The inspector shows an infinite number as a text, because JSON has none.
  case number(Double)

  /// A number that neither an `Int` nor a `Double` can hold, as it is written.
  case longNumber(String)

  /// A text.
  case string(String)

  /// An array.
  case array([InspectedValue])

  /// An object; the order of its members has no meaning.
  case object([String: InspectedValue])

  /// Creates a number; a text if JSON has no such number, as for infinity.
  init(_ number: Double) { self = number.isFinite ? .number(number) : .string("\(number)") }

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

extension InspectedValue {
  /// The value as JSON on one line, with sorted names.
  var text: String {
    var text = ""
    append(to: &text, indentation: nil)
    return text
  }

  /// The value as the files of a group store it: indented by two spaces, with sorted names and a line break at the end.
  public var fileText: String {
    var text = ""
    append(to: &text, indentation: 0)
    return text + "\n"
  }

  private func append(to text: inout String, indentation: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .number(let value): text += "\(value)"
    case .longNumber(let value): text += value
    case .string(let value): text += Self.quoted(value)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indentation) { element, text, inner in
        element.append(to: &text, indentation: inner)
      }
    case .object(let members):
      Self.write(members.sorted { $0.key < $1.key }, "{", "}", to: &text, indentation) { member, text, inner in
        text += Self.quoted(member.key) + (inner == nil ? ": " : " : ")
        member.value.append(to: &text, indentation: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ start: String, _ end: String, to text: inout String, _ indentation: Int?,
    _ body: (Element, inout String, Int?) -> Void
  ) {
    text += start
    let inner = indentation.map { $0 + 1 }
    for (index, element) in elements.enumerated() {
      if index > 0 { text += inner == nil ? ", " : "," }
      if let inner { text += "\n" + String(repeating: "  ", count: inner) }
      body(element, &text, inner)
    }
    if let indentation, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indentation) }
    text += end
  }

  private static func quoted(_ text: String) -> String { String(decoding: JSONText.quoted(text), as: UTF8.self) }

  /// The number of bytes of the value as JSON.
  var size: Int { text.utf8.count }

  /// Returns a Boolean value that indicates whether the value has more bytes of JSON than a limit.
  ///
  /// - Complexity: O(*n*) in the limit, not in the size of the value.
  func isLarger(than limit: Int) -> Bool {
    var rest = limit
    consume(&rest)
    return rest < 0
  }

  /// Subtracts the number of bytes, and stops below zero.
  private func consume(_ rest: inout Int) {
    guard rest >= 0 else { return }
    switch self {
    case .array(let elements):
      rest -= 2 * max(1, elements.count)
      for element in elements where rest >= 0 { element.consume(&rest) }
    case .object(let members):
      rest -= 2 * max(1, members.count)
      for (name, value) in members where rest >= 0 {
        rest -= name.utf8.count + 4
        value.consume(&rest)
      }
    default: rest -= size
    }
  }
}
