/// The name of a tweak together with its type, and the value for when there is none.
///
/// Declare keys once, as constants: reading by a key that exists already is the fastest way by name.
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

  /// The value for when there is none.
  public let defaultValue: Value

  /// Where to look for the name.
  @usableFromInline let hash: Int

  /// Makes a key.
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
