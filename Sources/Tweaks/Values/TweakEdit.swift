public import Foundation

/// A change to a provider.
///
/// Its printed form shows no value, because the tweak may be secret.
public struct TweakEdit: Sendable, Hashable {
  /// The tweak.
  public var id: TweakID

  /// The new value, or `nil` to delete the provider's value.
  public var value: TweakValue?

  /// The end of the override, after which the next provider decides; `nil` if there is none.
  public var expiration: Date?

  /// Creates a change.
  ///
  /// - Parameters:
  ///   - id: The tweak.
  ///   - value: The new value, or `nil` to delete the provider's value.
  ///   - expiration: The end of the override.
  public init(_ id: TweakID, _ value: TweakValue?, until expiration: Date? = nil) {
    self.id = id
    self.value = value
    self.expiration = expiration
  }

  /// Creates a change for a typed key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The new value, or `nil` to delete the provider's value.
  ///   - expiration: The end of the override.
  public init<Value>(_ key: TweakKey<Value>, _ value: Value?, until expiration: Date? = nil) {
    self.init(key.id, value?.tweakValue, until: expiration)
  }
}

extension TweakEdit: CustomStringConvertible, CustomReflectable {
  /// The name, and whether a value is set or deleted.
  public var description: String { value == nil ? "\(id) deleted" : "\(id) = \(Tweak.redacted)" }

  /// The children that `dump` shows, without the value.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "value": value.map { _ in Tweak.redacted } as Any], displayStyle: .struct)
  }
}

extension TweakEdit {
  /// Checks that the end of an override has not come yet.
  func checkEnd(after now: Date, provider: String) throws(TweakError) {
    guard let expiration, value != nil, expiration <= now else { return }
    throw .notSupported(
      id, provider: provider, reason: "its end, \(expiration.formatted(.iso8601)), has passed already"
    )
  }
}
