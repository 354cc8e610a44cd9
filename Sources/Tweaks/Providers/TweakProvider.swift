public import AppGroups
public import Foundation
public import Signals

/// A closure that decrypts the value of an encrypted tweak, or encrypts a value for storage.
public typealias TweakCipher = @Sendable (Tweak) throws -> TweakValue

/// A source of tweak values, which exposes them as one observable table.
///
/// The tables of the providers of a ``TweakManager`` are in order; the first that *has* a tweak decides.
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// struct Season: TweakProvider {
///   let name = "Season"
///   let table: Property<TweakTable>
///
///   init(isWinter: Property<Bool>) {
///     table = .derived(isWinter) { TweakTable([Tweak(feature: "shop", variable: "snow", value: .bool($0))]) }
///   }
/// }
///
/// let isWinter = MutableProperty(false)
/// let manager = TweakManager(providers: [Season(isWinter: isWinter)])
/// isWinter.value = true
/// print(manager.value(feature: "shop", variable: "snow", default: false))  // Prints "true"
/// ```
///
/// A provider that cannot list its tweaks, such as a service with its own interface, is an ``AskedTweakProvider``.
public protocol TweakProvider: Sendable {
  /// The name of the provider in ``Tweak/source``, errors and traces.
  var name: String { get }

  /// The tweaks, which the managers of the provider follow.
  ///
  /// It may be read from any thread. A manager reads the property once, and then follows it.
  var table: Property<TweakTable> { get }

  /// A closure that decrypts this provider's values.
  ///
  /// It takes precedence over the manager's.
  var decryptionClosure: TweakCipher? { get }

  /// The errors that keep the provider from following its input; by default none.
  ///
  /// Send a new subscriber the current errors, so that a manager created later receives them too.
  var failures: AnySignal<TweakError, Never> { get }

  /// The scopes of the provider's store; none by default.
  ///
  /// When the contents of a scope are switched, a ``TweakManager`` follows the table at once, and its tweaks change
  /// together with all other live values of the scope. An ``AskedTweakProvider`` is asked again.
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
    // Most often, the same tweaks are added again, and a union would make a new set.
    if others.isEmpty { self = .tweaks(ids) } else if !ids.isSubset(of: others) { self = .tweaks(others.union(ids)) }
  }

  /// Returns the tweaks that are not in another update.
  func subtracting(_ other: TweakUpdate) -> TweakUpdate {
    switch (self, other) {
    case (_, .everything): .nothing
    case (.everything, .tweaks): self
    case (.tweaks(let ids), .tweaks(let others)): .tweaks(ids.subtracting(others))
    }
  }

  /// Adds another update.
  mutating func formUnion(_ other: TweakUpdate) {
    switch other {
    case .everything: self = .everything
    case .tweaks(let ids): if !ids.isEmpty { formUnion(ids) }
    }
  }
}

extension TweakProvider {
  /// No scope.
  public var scopes: [Scope] { [] }

  /// `nil`: the provider decrypts nothing.
  public var decryptionClosure: TweakCipher? { nil }

  /// A signal that sends nothing.
  public var failures: AnySignal<TweakError, Never> { .never() }

  /// Returns a tweak of the current table.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if the provider has none.
  /// - Throws: ``TweakError`` if the tweak cannot be used.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    try table.value.tweak(feature: feature, variable: variable)
  }
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
  /// - Returns: The tweaks that changed. The table already has their new values.
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

/// The faults that a provider has found since the last change of its input.
///
/// Each is sent once. Of more than a thousand, the oldest are forgotten, so that they are sent again if they recur.
struct TweakFaults: Sendable {
  private struct Fault: Sendable, Hashable {
    let error: TweakError

    /// The operation that failed, or `nil` if the fault lasts until all are removed.
    let operation: String?
  }

  private static let limit = 1_000

  private let found = MutableProperty<[Fault]>([])
  private let relay: FailureRelay<TweakError>

  /// Creates an empty list of faults.
  ///
  /// - Parameters:
  ///   - type: The type of the provider.
  ///   - name: The name of the provider.
  init(of type: String, _ name: String) {
    relay = FailureRelay(of: type, name, isKept: true)
  }

  /// The known faults, followed by each later one.
  var signal: AnySignal<TweakError, Never> {
    relay.beginning { [found] in
      var errors = Set<TweakError>()
      return found.value.map(\.error).filter { errors.insert($0).inserted }
    }
  }

  /// Sends a fault that is not known yet.
  ///
  /// - Parameters:
  ///   - error: The fault.
  ///   - operation: The operation that failed, whose success ends the fault.
  func report(_ error: TweakError, of operation: String? = nil) {
    let fault = Fault(error: error, operation: operation)
    let isNews = found.modify { found in
      if found.contains(fault) { return false }
      // Several operations may fail for the same reason.
      let isKnown = found.contains { $0.error == error }
      if found.count == Self.limit { found.removeFirst() }
      found.append(fault)
      return !isKnown
    }
    if isNews { relay.send(error) }
  }

  /// Forgets the faults of an operation that has succeeded.
  func removeAll(of operation: String) {
    guard found.value.contains(where: { $0.operation == operation }) else { return }
    found.modify { $0.removeAll { $0.operation == operation } }
  }

  /// Forgets the faults of an earlier input.
  func removeAll() {
    if !found.value.isEmpty { found.value = [] }
  }
}
