/// A type that the value of a tweak can be read as.
///
/// `Bool`, `Int`, `Double`, `Float` and `String` are; an enumeration with one of them as its raw value becomes one by
/// saying so:
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
/// Reading is strict. An `Int` is read as a `Double` if that holds it exactly, and as nothing else; a `Double` is no
/// `Int`, even if it is `1.0`; nothing but a `Bool` is a `Bool`.
public protocol TweakValueConvertible: Sendable {
  /// Makes an instance of a value.
  ///
  /// - Parameter tweakValue: The value; one that is not of the type gives `nil`.
  init?(tweakValue: TweakValue)

  /// The value that the instance is stored as.
  var tweakValue: TweakValue { get }

  /// The value that a text means, where there is nothing but text, as in the environment or an argument.
  ///
  /// - Parameter text: What is written there.
  /// - Returns: The value, or `nil` if the text means none of the type.
  static func tweakValue(parsing text: String) -> TweakValue?
}

/// One of the types that have a value for when there is none: `false`, zero, the empty text.
public protocol TweakPrimitive: TweakValueConvertible {
  /// The value for when there is none.
  static var emptyTweakValue: Self { get }
}

extension Bool: TweakPrimitive {
  /// Makes a Bool of a value that is one.
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

  /// The value that a text means: `true`, `yes`, `on` and `1`, or `false`, `no`, `off` and `0`, in any case.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value, or `nil` for any other text.
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
  /// Makes an Int of a value that is one.
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

  /// The value that a text means: digits, with or without a sign.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value, or `nil` for any other text.
  public static func tweakValue(parsing text: String) -> TweakValue? { Int(text).map(TweakValue.int) }

  /// `0`.
  public static var emptyTweakValue: Int { 0 }
}

extension Double: TweakPrimitive {
  /// Makes a Double of a value that is one, or an Int that a Double can hold exactly.
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

  /// The value that a text means: a finite number.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value, or `nil` for any other text.
  public static func tweakValue(parsing text: String) -> TweakValue? {
    guard let value = Double(text), value.isFinite else { return nil }
    return .double(value)
  }

  /// `0`.
  public static var emptyTweakValue: Double { 0 }
}

extension Float: TweakPrimitive {
  /// Makes a Float of a number in its range, to which it is rounded, or of an Int that a Float can hold exactly.
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

  /// The value that it is stored as: the Double that reads the same, so that 0.1 is not stored as 0.10000000149.
  public var tweakValue: TweakValue { .double(Double(description) ?? Double(self)) }

  /// The value that a text means: a finite number.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value, or `nil` for any other text.
  public static func tweakValue(parsing text: String) -> TweakValue? { Double.tweakValue(parsing: text) }

  /// `0`.
  public static var emptyTweakValue: Float { 0 }
}

extension String: TweakPrimitive {
  /// Makes a String of a value that is one.
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

  /// The text itself.
  ///
  /// - Parameter text: The text.
  /// - Returns: The text.
  public static func tweakValue(parsing text: String) -> TweakValue? { .string(text) }

  /// The empty text.
  public static var emptyTweakValue: String { "" }
}

extension TweakValue: TweakValueConvertible {
  /// Takes any value.
  ///
  /// - Parameter tweakValue: The value.
  @inlinable
  public init?(tweakValue: TweakValue) { self = tweakValue }

  /// The value itself.
  @inlinable
  public var tweakValue: TweakValue { self }

  /// The value that a text looks like: `true` or `false`, a whole number, a number, or else the text.
  ///
  /// - Parameter text: The text.
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
  /// Makes an instance of a value that is one of the raw values.
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

  /// The value that a text means.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value, or `nil` if it means none of the raw values.
  public static func tweakValue(parsing text: String) -> TweakValue? { RawValue.tweakValue(parsing: text) }
}
