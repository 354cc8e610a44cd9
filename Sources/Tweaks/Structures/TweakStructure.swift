import Foundation

/// A `Codable` type that is read from a tweak whose value is an object or a list.
///
/// ```swift
/// import Tweaks
///
/// struct Layout: TweakStructure {
///   var columns = 2
///   var titles: [String] = []
/// }
/// let key = TweakKey("shop", "layout", default: Layout())
/// let manager = TweakManager(providers: [EphemeralTweakProvider()])
/// try manager.set(Layout(columns: 3), for: key)
/// print(manager[key].columns)  // Prints "3"
/// ```
///
/// - **Storage.** The value is a string of JSON, so every provider can hold it. In a file, it is an object or a list.
/// - **Changes.** Values are compared as JSON with sorted names, so another order of members is no change.
/// - **Mismatch.** If a member has the wrong type, the whole value falls back, and the error names the member with its
///   line and column. Unknown members are ignored.
/// - **Performance.** A value is decoded once for each change, and then read like any other.
public protocol TweakStructure: TweakElement, TweakValueConvertible {}

extension TweakStructure {
  /// Decodes an instance from a string of JSON.
  ///
  /// - Parameter tweakValue: The value.
  public init?(tweakValue: TweakValue) {
    guard case .string(let text) = tweakValue else { return nil }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    } catch {
      return nil
    }
  }

  /// The instance as a string of JSON.
  public var tweakValue: TweakValue { TweakJSON.value(encoding: self) }

  /// `true`.
  @inlinable
  public static var isTweakStructure: Bool { true }
}

/// A type that can be an element of a list, or a member of a dictionary, that is read from a tweak.
public protocol TweakElement: Codable, Sendable {}

extension Bool: TweakElement {}
extension Int: TweakElement {}
extension Double: TweakElement {}
extension Float: TweakElement {}
extension String: TweakElement {}

extension Array: TweakElement, TweakValueConvertible, TweakStructure where Element: TweakElement {}

extension Dictionary: TweakElement, TweakValueConvertible, TweakStructure
where Key == String, Value: TweakElement {}
