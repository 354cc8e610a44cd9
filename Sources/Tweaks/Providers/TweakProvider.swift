public import AppGroups
public import Signals

/// Makes the value of an encrypted tweak; may throw.
public typealias TweakDecryption = @Sendable (Tweak) throws -> TweakValue

/// Makes what is written down for the value of a tweak; may throw.
public typealias TweakEncryption = @Sendable (Tweak) throws -> TweakValue

/// Where values of tweaks come from.
///
/// A ``TweakManager`` asks its providers in order; the first that *has* a tweak decides.
///
/// To write one, implement ``tweak(feature:variable:)``. A provider whose values change says so by ``updates``, or has
/// somebody call ``TweakManager/resetCache()``. Everything may be called from any thread, at the same time, and no lock
/// of the manager is held meanwhile: a provider may use the manager.
public protocol TweakProvider: Sendable {
  /// What the provider is called in ``Tweak/source``, errors and traces.
  var name: String { get }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if the provider has none, so that the next one is asked.
  /// - Throws: ``TweakError`` if it has one that cannot be used. ``TweakError/notFound(_:)`` is the same as `nil`.
  func tweak(feature: String, variable: String) throws(TweakError) -> Tweak?

  /// Returns whether a feature is enabled.
  ///
  /// By default it is the Bool of the variable ``Tweak/enabledVariable``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the provider has none, so that the next one is asked.
  /// - Throws: ``TweakError`` if the provider has an answer that cannot be used. A manager decrypts an encrypted one.
  func featureState(_ feature: String) throws(TweakError) -> Bool?

  /// The names of the tweaks that the provider knows to have; by default none.
  var tweakIDs: Set<TweakID> { get }

  /// Decrypts this provider's values; it comes before the manager's.
  var decryptionClosure: TweakDecryption? { get }

  /// What has changed, each time something has; by default nothing ever does.
  ///
  /// When it is sent, ``tweak(feature:variable:)`` gives the new value already. A provider that can be written to also
  /// sends the changes that ``MutableTweakProvider/apply(_:)`` makes, so that its other managers learn of them.
  var updates: AnySignal<TweakUpdate, Never> { get }

  /// What keeps the provider from following what it reads, each time something does.
  ///
  /// Send a new subscriber what does at present, so that a manager made later receives it, too.
  var failures: AnySignal<TweakError, Never> { get }

  /// The scopes in which the provider's store lies; none by default.
  ///
  /// When the contents of a scope are swapped, a ``TweakManager`` asks the provider again, and its tweaks change together
  /// with all other live values of the scope.
  var scopes: [Scope] { get }
}

/// Which tweaks of a provider may have changed.
public enum TweakUpdate: Sendable, Hashable {
  /// Any of them.
  case everything

  /// These.
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

  /// Returns whether a feature is enabled: the Bool of the variable ``Tweak/enabledVariable``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the provider has none.
  /// - Throws: ``TweakError`` if the variable has no Bool, or an encrypted one.
  public func featureState(_ feature: String) throws(TweakError) -> Bool? {
    try tweak(feature: feature, variable: Tweak.enabledVariable)?.clearBool()
  }

  /// No names.
  public var tweakIDs: Set<TweakID> { [] }

  /// None.
  public var decryptionClosure: TweakDecryption? { nil }

  /// Nothing.
  public var updates: AnySignal<TweakUpdate, Never> { .never() }

  /// Nothing.
  public var failures: AnySignal<TweakError, Never> { .never() }
}

/// A provider whose values can be set.
public protocol MutableTweakProvider: TweakProvider {
  /// Whether what is set is written down somewhere, so that a secret has to be encrypted; `true` by default.
  var isPersistent: Bool { get }

  /// Makes changes, all or none if the provider can.
  ///
  /// Setting a tweak to the value that it has is no change.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed. ``TweakProvider/tweak(feature:variable:)`` already gives their new values.
  /// - Throws: ``TweakError``.
  @discardableResult
  func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate
}

extension MutableTweakProvider {
  /// `true`.
  public var isPersistent: Bool { true }

  /// Sets the value of a tweak.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Throws: ``TweakError``; then nothing has changed.
  public func set(_ value: TweakValue, feature: String, variable: String) throws(TweakError) {
    try apply([TweakEdit(TweakID(feature: feature, variable: variable), value)])
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
