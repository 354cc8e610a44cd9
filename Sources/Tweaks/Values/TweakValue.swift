/// The value of a tweak.
///
/// Values are equal if their kind and their content are: `true` is not `1`, and `1` is not `1.0`. Each of the accessors
/// gives `nil` for a value that it could not give exactly.
///
/// ```swift
/// import Tweaks
///
/// let value: TweakValue = 42
/// print(value.doubleValue == 42, value.boolValue == nil, value == 42.0)  // Prints "true true false"
/// ```
@frozen
public enum TweakValue: Sendable, Hashable {
  /// A Boolean value.
  case bool(Bool)

  /// A whole number.
  case int(Int)

  /// A number.
  case double(Double)

  /// A text.
  case string(String)

  /// Which of the kinds it is.
  public var kind: TweakKind {
    switch self {
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .string: .string
    }
  }

  /// The value, if it is yes or no.
  @inlinable
  public var boolValue: Bool? { Bool(tweakValue: self) }

  /// The value, if it is a whole number.
  @inlinable
  public var intValue: Int? { Int(tweakValue: self) }

  /// The value, if it is a number that a `Double` can hold exactly.
  @inlinable
  public var doubleValue: Double? { Double(tweakValue: self) }

  /// The value, if it is a number that a `Float` can hold; one that is no whole number is rounded.
  @inlinable
  public var floatValue: Float? { Float(tweakValue: self) }

  /// The value, if it is a text.
  @inlinable
  public var stringValue: String? { String(tweakValue: self) }
}

/// The kinds of values that a tweak can have.
@frozen
public enum TweakKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// A Boolean value.
  case bool = "Bool"

  /// A whole number.
  case int = "Int"

  /// A number.
  case double = "Double"

  /// A text.
  case string = "String"

  /// The name of the Swift type.
  public var description: String { rawValue }
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

// MARK: Comparing

extension TweakValue {
  /// Compares kind and content; "not a number" is the same as "not a number", so that what stays as it is is no change.
  ///
  /// - Parameters:
  ///   - first: A value.
  ///   - second: Another one.
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
  /// Makes a value of `true` or `false`.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes a value of a whole number.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(integerLiteral value: Int) { self = .int(value) }

  /// Makes a value of a number with a decimal point.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Makes a value of a text.
  ///
  /// - Parameter value: The literal.
  @inlinable
  public init(stringLiteral value: String) { self = .string(value) }
}

// MARK: Coding

/// A value is written as an object with one member, which names the kind, such as `{"int": 42}`, so that every reader
/// finds the same kind again.
extension TweakValue: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case bool, int, double, string
  }

  /// Reads a value.
  ///
  /// - Parameter decoder: What to read from.
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

  /// Writes the value.
  ///
  /// - Parameter encoder: What to write to.
  /// - Throws: What the encoder throws.
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
