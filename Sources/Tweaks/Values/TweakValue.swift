/// The value of a tweak.
///
/// Values are equal if their kind and their content are: `true` is not `1`, and `1` is not `1.0`. An initializer
/// such as `Int(tweakValue:)` returns `nil` for a value that the type cannot represent exactly.
///
/// ```swift
/// import Tweaks
///
/// let value: TweakValue = 42
/// print(Double(tweakValue: value) == 42, Bool(tweakValue: value) == nil, value == 42.0)  // Prints "true true false"
/// ```
@nonexhaustive
public enum TweakValue: Sendable, Hashable {
  /// A Boolean value.
  case bool(Bool)

  /// An integer.
  case int(Int)

  /// A floating-point number.
  case double(Double)

  /// A string.
  case string(String)

  /// The kind of the value.
  public var kind: TweakKind {
    switch self {
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .string: .string
    }
  }
}

/// The kinds of values that a tweak can have.
@nonexhaustive
public enum TweakKind: String, Sendable, Hashable, CaseIterable {
  /// A Boolean value.
  case bool = "Bool"

  /// An integer.
  case int = "Int"

  /// A floating-point number.
  case double = "Double"

  /// A string.
  case string = "String"

  /// Returns the value of this kind that a text represents, or `nil` if there is none.
  package func value(of text: String) -> TweakValue? {
    switch self {
    case .bool:
      switch text.lowercased() {
      case "true", "yes", "on", "1": true
      case "false", "no", "off", "0": false
      default: nil
      }
    case .int: Int(text).map(TweakValue.int)
    case .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .string: .string(text)
    }
  }
}

extension TweakValue: CustomStringConvertible {
  /// The value as text, without quotation marks.
  public var description: String {
    switch self {
    case .bool(let value): value.description
    case .int(let value): value.description
    case .double(let value): value.description
    case .string(let value): value
    }
  }
}

extension TweakValue {
  /// The values that a text may represent, the most likely one first.
  ///
  /// Words such as `on` are a Bool only for a type that does not take strings.
  static func values(of text: String) -> [TweakValue?] {
    let isPlainBool = ["true", "false"].contains(text.lowercased())
    let kinds: [TweakKind] = isPlainBool ? [.bool, .string] : [.int, .double, .string, .bool]
    return kinds.map { $0.value(of: text) }
  }
}

// MARK: Comparison

extension TweakValue {
  /// Compares kind and content.
  ///
  /// Two NaN values are equal, so that an unchanged value is not a change.
  ///
  /// - Parameters:
  ///   - first: A value.
  ///   - second: Another value.
  /// - Returns: Whether they are equal.
  public static func == (first: TweakValue, second: TweakValue) -> Bool {
    switch (first, second) {
    case (.bool(let first), .bool(let second)): first == second
    case (.int(let first), .int(let second)): first == second
    case (.double(let first), .double(let second)): first == second || (first.isNaN && second.isNaN)
    case (.string(let first), .string(let second)): first == second
    default: false
    }
  }

  /// Hashes kind and content.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.isNaN ? .nan : value)
    case .string(let value): hasher.combine(value)
    }
  }
}

// MARK: Literals

extension TweakValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  /// Creates a value from a Boolean literal.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a value from an integer literal.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(integerLiteral value: Int) { self = .int(value) }

  /// Creates a value from a floating-point literal.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Creates a value from a string literal.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(stringLiteral value: String) { self = .string(value) }
}

// MARK: Coding

/// A value is encoded as an object with one member, whose name is the kind, such as `{"int": 42}`.
///
/// So every reader decodes the same kind.
extension TweakValue: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case bool, int, double, string
  }

  /// Decodes a value.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if there is no such value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.allKeys.count == 1, let key = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "expected one of bool, int, double, string"
        )
      )
    }
    switch key {
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .int: self = .int(try container.decode(Int.self, forKey: key))
    case .double: self = .double(try container.decode(Double.self, forKey: key))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    }
  }

  /// Encodes the value.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .int(let value): try container.encode(value, forKey: .int)
    case .double(let value): try container.encode(value, forKey: .double)
    case .string(let value): try container.encode(value, forKey: .string)
    }
  }
}
