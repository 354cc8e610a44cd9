/// A value that is never shown.
///
/// Its printed, dumped and reflected form is `<redacted>`.
///
/// ```swift
/// import Tweaks
///
/// let token = Secret("hunter2")
/// print(token, token.value.count)  // Prints "<redacted> 7"
/// ```
///
/// Read a tweak as a `Secret<String>` to keep its value out of your own logs. Only the value that you read is hidden:
/// the manager's log, changes, traces and panel show the tweak unless a provider marks it ``Tweak/isSecret`` or
/// ``Tweak/isEncrypted``. Setting a `Secret` stores its plain value, unless a provider below marks the tweak.
public struct Secret<Value: Sendable>: Sendable {
  /// The plain value.
  public let value: Value

  /// Creates a secret from a value.
  ///
  /// - Parameter value: The value.
  public init(_ value: Value) {
    self.value = value
  }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomReflectable {
  /// The redacted form.
  public var description: String { Tweak.redacted }

  /// A mirror of the redacted form.
  public var customMirror: Mirror { Mirror(reflecting: Tweak.redacted) }
}

extension Secret: TweakValueConvertible where Value: TweakValueConvertible {
  /// Creates a secret from the value of a tweak.
  ///
  /// - Parameter tweakValue: The value.
  public init?(tweakValue: TweakValue) {
    guard let value = Value(tweakValue: tweakValue) else { return nil }
    self.init(value)
  }

  /// The same as for the value.
  @inlinable
  public static var isTweakStructure: Bool { Value.isTweakStructure }

  /// The stored value.
  public var tweakValue: TweakValue { value.tweakValue }
}
