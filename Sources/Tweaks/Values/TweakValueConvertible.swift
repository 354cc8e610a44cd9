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

  /// A Boolean value that indicates whether values are objects or lists; see ``TweakStructure``.
  static var isTweakStructure: Bool { get }
}

extension TweakValueConvertible {
  /// `false`.
  @inlinable
  public static var isTweakStructure: Bool { false }

  /// Creates an instance from the first value of a text that is of the type, or returns `nil` if there is none.
  package init?(untyped text: String) {
    let values =
      Self.isTweakStructure ? [TweakJSON.canonical(text).map(TweakValue.string)] : TweakValue.values(of: text)
    for case let value? in values {
      if let new = Self(tweakValue: value) {
        self = new
        return
      }
    }
    return nil
  }

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
  /// Creates the empty value.
  init()
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
}
