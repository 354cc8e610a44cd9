public import AppGroups
public import Foundation
public import Signals

/// A closure that decrypts the value of an encrypted tweak.
public typealias TweakDecryption = @Sendable (Tweak) throws -> TweakValue

/// A closure that encrypts the value of a tweak for storage.
public typealias TweakEncryption = @Sendable (Tweak) throws -> TweakValue

/// A source of tweak values.
///
/// A ``TweakManager`` asks its providers in order; the first that *has* a tweak decides.
///
/// - **Implementation.** Implement ``tweak(feature:variable:)``. If values change, send ``updates``, or call
///   ``TweakManager/resetCache()`` after each change.
/// - **Threads.** All methods may be called from any thread, and concurrently. No lock of the manager is held, so a
///   provider may use the manager.
public protocol TweakProvider: Sendable {
  /// The name of the provider in ``Tweak/source``, errors and traces.
  var name: String { get }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if the provider has none, so that the next one is asked.
  /// - Throws: ``TweakError`` if the tweak cannot be used. ``TweakError/notFound(_:)`` is the same as `nil`.
  func tweak(feature: String, variable: String) throws(TweakError) -> Tweak?

  /// Returns whether a feature is enabled.
  ///
  /// By default, it is the Bool of the variable ``Tweak/enabledVariable``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the provider has none, so that the next one is asked.
  /// - Throws: ``TweakError`` if the answer cannot be used. A manager decrypts an encrypted one.
  func featureState(_ feature: String) throws(TweakError) -> Bool?

  /// The names of the provider's tweaks, as far as it can list them; empty by default.
  var tweakIDs: Set<TweakID> { get }

  /// A closure that decrypts this provider's values.
  ///
  /// It takes precedence over the manager's.
  var decryptionClosure: TweakDecryption? { get }

  /// The changed tweaks, sent after each change; by default nothing.
  ///
  /// When an update is sent, ``tweak(feature:variable:)`` must already return the new value. A mutable provider also
  /// sends the changes that ``MutableTweakProvider/apply(_:)`` makes, for its other managers.
  var updates: AnySignal<TweakUpdate, Never> { get }

  /// The errors that keep the provider from following its input; by default none.
  ///
  /// Send a new subscriber the current errors, so that a manager created later receives them too.
  var failures: AnySignal<TweakError, Never> { get }

  /// The scopes of the provider's store; none by default.
  ///
  /// When the contents of a scope are switched, a ``TweakManager`` asks the provider again, and its tweaks change
  /// together with all other live values of the scope.
  var scopes: [Scope] { get }
}

/// The tweaks of a provider that may have changed.
@nonexhaustive
public enum TweakUpdate: Sendable, Hashable {
  /// Any tweaks.
  case everything

  /// The tweaks with these names.
  case tweaks(Set<TweakID>)

  /// No tweak.
  static let nothing = tweaks([])

  /// Adds tweaks.
  mutating func formUnion(_ ids: Set<TweakID>) {
    guard case .tweaks(let others) = self else { return }
    self = .tweaks(others.union(ids))
  }
}

extension TweakProvider {
  /// No scope.
  public var scopes: [Scope] { [] }

  /// Returns whether a feature is enabled, which is the Bool of the variable ``Tweak/enabledVariable``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the provider has none.
  /// - Throws: ``TweakError`` if the variable is not a Bool, or is encrypted.
  public func featureState(_ feature: String) throws(TweakError) -> Bool? {
    try tweak(feature: feature, variable: Tweak.enabledVariable)?.clearBool()
  }

  /// An empty set.
  public var tweakIDs: Set<TweakID> { [] }

  /// `nil`: the provider decrypts nothing.
  public var decryptionClosure: TweakDecryption? { nil }

  /// A signal that sends nothing.
  public var updates: AnySignal<TweakUpdate, Never> { .never() }

  /// A signal that sends nothing.
  public var failures: AnySignal<TweakError, Never> { .never() }
}

/// A provider whose values can be set.
public protocol MutableTweakProvider: TweakProvider {
  /// A Boolean value that indicates whether set values are stored persistently, so that secrets must be encrypted.
  ///
  /// It is `true` by default.
  var isPersistent: Bool { get }

  /// A Boolean value that indicates whether an override may have an end.
  ///
  /// It is `false` by default. A manager then refuses such an override.
  var supportsExpiration: Bool { get }

  /// Makes changes, and if possible all or none of them.
  ///
  /// Setting a tweak to its current value is not a change.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed. ``TweakProvider/tweak(feature:variable:)`` already returns their new values.
  /// - Throws: ``TweakError``.
  @discardableResult
  func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate
}

extension MutableTweakProvider {
  /// `true`.
  public var isPersistent: Bool { true }

  /// `false`.
  public var supportsExpiration: Bool { false }

  /// Sets the value of a tweak.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - expiration: The end of the override, if ``supportsExpiration`` is set.
  /// - Throws: ``TweakError``; then nothing has changed.
  public func set(
    _ value: TweakValue, feature: String, variable: String, until expiration: Date? = nil
  ) throws(TweakError) {
    try apply([TweakEdit(TweakID(feature: feature, variable: variable), value, until: expiration)])
  }

  /// Deletes the value of a tweak, if this provider has one.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Throws: ``TweakError``; then nothing has changed.
  public func deleteValue(feature: String, variable: String) throws(TweakError) {
    try apply([TweakEdit(TweakID(feature: feature, variable: variable), nil)])
  }
}
