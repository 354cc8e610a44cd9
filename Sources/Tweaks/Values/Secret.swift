/// A value that is not shown: wherever it is printed, dumped or reflected upon, it is ``Tweak/redacted``.
///
/// ```swift
/// import Tweaks
///
/// let token = Secret("hunter2")
/// print(token, token.value.count)  // Prints "<redacted> 7"
/// ```
///
/// Read a tweak as a `Secret<String>` to have its value kept out of your own logs. Only the value that you read is
/// hidden: the manager's log, changes, traces and panel show the tweak unless a provider marks it ``Tweak/isSecret`` or
/// ``Tweak/isEncrypted``. Setting a `Secret` stores its plain value, unless a provider below marks the tweak.
public struct Secret<Value: Sendable>: Sendable {
  /// The value itself.
  public let value: Value

  /// Hides a value.
  ///
  /// - Parameter value: The value.
  public init(_ value: Value) {
    self.value = value
  }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the value.
  public var description: String { Tweak.redacted }

  /// Nothing of the value.
  public var debugDescription: String { Tweak.redacted }

  /// Nothing of the value.
  public var customMirror: Mirror { Mirror(reflecting: Tweak.redacted) }
}

extension Secret: TweakValueConvertible where Value: TweakValueConvertible {
  /// Hides the value of a tweak.
  ///
  /// - Parameter tweakValue: The value.
  public init?(tweakValue: TweakValue) {
    guard let value = Value(tweakValue: tweakValue) else { return nil }
    self.init(value)
  }

  /// The value that is stored.
  public var tweakValue: TweakValue { value.tweakValue }

  /// The value that a text means.
  ///
  /// - Parameter text: The text.
  /// - Returns: The value, or `nil` if it means none of the type.
  public static func tweakValue(parsing text: String) -> TweakValue? { Value.tweakValue(parsing: text) }
}
