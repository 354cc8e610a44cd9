/// A type that can be read from the value of a tweak.
///
/// `Bool`, `Int`, `Double`, `Float` and `String` conform. An enumeration with one of them as its raw value only needs
/// to declare the conformance:
///
/// ```swift
/// import Tweaks
///
/// enum Theme: String, TweakValueConvertible {
///   case light, dark
/// }
/// print(Theme(tweakValue: "dark") == .dark, Theme(tweakValue: "blue") == nil)  // Prints "true true"
/// ```
///
/// Reading is strict. An `Int` can also be read as a `Double` that holds it exactly. A `Double` is never read as an
/// `Int`, even if it is `1.0`, and only a `Bool` is read as a `Bool`.
public protocol TweakValueConvertible: Sendable {
  /// Creates an instance from a value, or returns `nil` if the value is not of the type.
  ///
  /// - Parameter tweakValue: The value.
  init?(tweakValue: TweakValue)

  /// The value that is stored for the instance.
  var tweakValue: TweakValue { get }

  /// Returns the value that a string represents, for sources with text only, such as the environment or an argument.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value, or `nil` if the string does not represent a value of the type.
  static func tweakValue(parsing text: String) -> TweakValue?

  /// A Boolean value that indicates whether values are objects or lists; see ``TweakStructure``.
  static var isTweakStructure: Bool { get }
}

extension TweakValueConvertible {
  /// `false`.
  @inlinable
  public static var isTweakStructure: Bool { false }

  /// Converts a value that was read without waiting, unless its slot keeps a decoded one.
  @inlinable @inline(__always)
  init?(glanced value: TweakValue) {
    // An override of a structure is a string. Decoding it at each read would be slow.
    if case .string = value, Self.isTweakStructure { return nil }
    self.init(tweakValue: value)
  }
}

/// A type with an empty value as its default: `false`, zero, or the empty string.
public protocol TweakPrimitive: TweakValueConvertible {
  /// The value that is used if no provider has one.
  static var emptyTweakValue: Self { get }
}

extension Bool: TweakPrimitive {
  /// Creates a Bool from a value of this kind.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) {
    guard case .bool(let value) = tweakValue else { return nil }
    self = value
  }

  /// The stored value.
  @inlinable
  public var tweakValue: TweakValue { .bool(self) }

  /// Returns the value that a string represents: `true`, `yes`, `on` and `1`, or `false`, `no`, `off` and `0`, in any
  /// case.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value, or `nil` for any other string.
  public static func tweakValue(parsing text: String) -> TweakValue? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": .bool(true)
    case "false", "no", "off", "0": .bool(false)
    default: nil
    }
  }

  /// `false`.
  public static var emptyTweakValue: Bool { false }
}

extension Int: TweakPrimitive {
  /// Creates an Int from a value of this kind.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) {
    guard case .int(let value) = tweakValue else { return nil }
    self = value
  }

  /// The stored value.
  @inlinable
  public var tweakValue: TweakValue { .int(self) }

  /// Returns the value that a string represents: digits, with or without a sign.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value, or `nil` for any other string.
  public static func tweakValue(parsing text: String) -> TweakValue? { Int(text).map(TweakValue.int) }

  /// `0`.
  public static var emptyTweakValue: Int { 0 }
}

extension Double: TweakPrimitive {
  /// Creates a Double from a value of this kind, or from an Int that a Double can hold exactly.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) {
    switch tweakValue {
    case .double(let value): self = value
    case .int(let value): self.init(exactly: value)
    case .bool, .string: return nil
    }
  }

  /// The stored value.
  @inlinable
  public var tweakValue: TweakValue { .double(self) }

  /// Returns the value that a string represents: a finite number.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value, or `nil` for any other string.
  public static func tweakValue(parsing text: String) -> TweakValue? {
    guard let value = Double(text), value.isFinite else { return nil }
    return .double(value)
  }

  /// `0`.
  public static var emptyTweakValue: Double { 0 }
}

extension Float: TweakPrimitive {
  /// Creates a Float from a number in its range, rounded to a Float, or from an Int that a Float can hold exactly.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) {
    switch tweakValue {
    case .double(let value):
      self.init(value)
      if isInfinite, value.isFinite { return nil }
    case .int(let value): self.init(exactly: value)
    case .bool, .string: return nil
    }
  }

  /// The stored value: the Double with the same decimal digits, so that 0.1 is not stored as 0.10000000149.
  public var tweakValue: TweakValue { .double(Double(description) ?? Double(self)) }

  /// Returns the value that a string represents: a finite number.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value, or `nil` for any other string.
  public static func tweakValue(parsing text: String) -> TweakValue? { Double.tweakValue(parsing: text) }

  /// `0`.
  public static var emptyTweakValue: Float { 0 }
}

extension String: TweakPrimitive {
  /// Creates a String from a value of this kind.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) {
    guard case .string(let value) = tweakValue else { return nil }
    self = value
  }

  /// The stored value.
  @inlinable
  public var tweakValue: TweakValue { .string(self) }

  /// Returns the string itself as a value.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value.
  public static func tweakValue(parsing text: String) -> TweakValue? { .string(text) }

  /// The empty string.
  public static var emptyTweakValue: String { "" }
}

extension TweakValue: TweakValueConvertible {
  /// Creates an instance from any value.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) { self = tweakValue }

  /// The value itself.
  @inlinable
  public var tweakValue: TweakValue { self }

  /// Returns the value that a string looks like: a Bool, an integer, a floating-point number, or else the string.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value.
  public static func tweakValue(parsing text: String) -> TweakValue? {
    switch text.lowercased() {
    case "true": .bool(true)
    case "false": .bool(false)
    default: Int.tweakValue(parsing: text) ?? Double.tweakValue(parsing: text) ?? .string(text)
    }
  }
}

extension RawRepresentable where Self: TweakValueConvertible, RawValue: TweakValueConvertible {
  /// Creates an instance from a value that is one of the raw values.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) {
    guard let rawValue = RawValue(tweakValue: tweakValue) else { return nil }
    self.init(rawValue: rawValue)
  }

  /// The raw value, as it is stored.
  @inlinable
  public var tweakValue: TweakValue { rawValue.tweakValue }

  /// Returns the value that a string represents.
  ///
  /// - Parameter text: The string.
  /// - Returns: The value, or `nil` if the string does not represent one of the raw values.
  public static func tweakValue(parsing text: String) -> TweakValue? { RawValue.tweakValue(parsing: text) }
}
