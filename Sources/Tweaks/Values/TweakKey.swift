/// The name of a tweak with its type and a default value.
///
/// Declare keys once, as constants: reading with an existing key is the fastest way by name.
///
/// ```swift
/// import Tweaks
///
/// extension TweakKey where Value == Int {
///   static let answer = TweakKey("general", "answer", default: 42)
/// }
/// let manager = TweakManager(providers: [EphemeralTweakProvider()])
/// print(manager[.answer])  // Prints "42"
/// try manager.set(43, for: .answer)
/// print(manager[.answer])  // Prints "43"
/// ```
public struct TweakKey<Value: TweakValueConvertible>: Sendable {
  /// The tweak's name.
  public let id: TweakID

  /// The value that is used if no provider has a value of the type.
  public let defaultValue: Value

  /// The hash of the name in the table of slots.
  @usableFromInline let hash: Int

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - defaultValue: The default value.
  public init(_ feature: String, _ variable: String, default defaultValue: Value) {
    id = TweakID(feature: feature, variable: variable)
    self.defaultValue = defaultValue
    hash = SlotTable.hash(feature, variable)
  }
}
