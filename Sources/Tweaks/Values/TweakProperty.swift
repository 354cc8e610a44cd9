public import Signals

/// A tweak that is read and written like a variable, with a default.
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// struct Settings {
///   @TweakProperty var limit: Int
///   @TweakProperty var title: String
///
///   init(manager: TweakManager) {
///     _limit = TweakProperty(wrappedValue: 10, feature: "shop", variable: "limit", tweakManager: manager)
///     _title = TweakProperty(feature: "shop", variable: "title", tweakManager: manager)
///   }
/// }
///
/// let settings = Settings(manager: TweakManager(providers: [EphemeralTweakProvider()]))
/// let subscription = settings.$limit.sink { print("limit", $0) }  // Prints "limit 10"
/// settings.limit = 20  // Prints "limit 20"
/// print(settings.title.isEmpty)  // Prints "true"
/// subscription.cancel()
/// ```
///
/// - **Errors.** A missing value, or one of another type, never stops the program: the variable has its default, and
///   ``TweakManager/failures`` reports the mismatch. Because a variable cannot throw, a value that cannot be stored is
///   also reported there. Use ``TweakManager/set(_:feature:variable:until:)-(TweakValue,_,_,_)`` to handle such errors.
/// - **Performance.** Reading a Bool or a number takes a few loads.
/// - **Observation.** The name with the prefix `$` is the value as an observable property.
/// - **Priority.** If a provider before the first mutable one has the tweak, a set value is stored, but has no effect.
///   ``TweakManager/set(_:feature:variable:until:)-(TweakValue,_,_,_)`` reports this in its result.
@propertyWrapper
public struct TweakProperty<Value: TweakValueConvertible>: Sendable {
  @usableFromInline let core: TweakPropertyCore
  @usableFromInline let defaultValue: Value

  /// Creates a variable for a tweak.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - tweakManager: The manager that has the value.
  public init(wrappedValue: Value, feature: String, variable: String, tweakManager: TweakManager) {
    core = TweakPropertyCore(feature, variable, tweakManager)
    defaultValue = wrappedValue
  }

  /// Creates a variable for a tweak, with JustTweak's argument.
  ///
  /// - Parameters:
  ///   - fallbackValue: The default value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - tweakManager: The manager that has the value.
  public init(fallbackValue: Value, feature: String, variable: String, tweakManager: TweakManager) {
    self.init(wrappedValue: fallbackValue, feature: feature, variable: variable, tweakManager: tweakManager)
  }

  /// Creates a variable for a typed key.
  ///
  /// - Parameters:
  ///   - key: The name of the tweak, and the default value.
  ///   - tweakManager: The manager that has the value.
  public init(_ key: TweakKey<Value>, tweakManager: TweakManager) {
    self.init(
      wrappedValue: key.defaultValue, feature: key.id.feature, variable: key.id.variable, tweakManager: tweakManager
    )
  }

  /// Creates a variable for a tweak whose default is `false`, zero or empty.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - tweakManager: The manager that has the value.
  public init(feature: String, variable: String, tweakManager: TweakManager) where Value: TweakPrimitive {
    self.init(wrappedValue: Value(), feature: feature, variable: variable, tweakManager: tweakManager)
  }

  /// The value; setting it writes to the first mutable provider.
  @inlinable
  public var wrappedValue: Value {
    get { core.value(as: Value.self) ?? defaultValue }
    nonmutating set { core.set(newValue.tweakValue) }
  }

  /// The value as an observable property.
  public var projectedValue: Property<Value> { core.manager.property(for: key) }

  /// The name of the tweak and the default, with which a ``TweakManager`` can delete a set value.
  public var key: TweakKey<Value> { TweakKey(core.id.feature, core.id.variable, default: defaultValue) }
}

/// ``TweakProperty`` with JustTweak's name and arguments.
public typealias FallbackTweakProperty = TweakProperty

/// A tweak that is read and written like an optional variable.
///
/// Setting `nil` deletes the value that was set, so that the next provider decides. As with ``TweakProperty``, a value
/// has no effect while a provider before the first mutable one has the tweak.
@propertyWrapper
public struct OptionalTweakProperty<Value: TweakValueConvertible>: Sendable {
  @usableFromInline let core: TweakPropertyCore

  /// The value that is used if no provider has a value of the type.
  @usableFromInline let fallbackValue: Value?

  /// Creates a variable for a tweak.
  ///
  /// - Parameters:
  ///   - fallbackValue: The default value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - tweakManager: The manager that has the value.
  public init(fallbackValue: Value? = nil, feature: String, variable: String, tweakManager: TweakManager) {
    core = TweakPropertyCore(feature, variable, tweakManager)
    self.fallbackValue = fallbackValue
  }

  /// The value; setting it writes to the first mutable provider, and setting `nil` deletes the value there.
  @inlinable
  public var wrappedValue: Value? {
    get { core.value(as: Value.self) ?? fallbackValue }
    nonmutating set { core.set(newValue?.tweakValue) }
  }

  /// The value as an observable property.
  public var projectedValue: Property<Value?> {
    let fallbackValue = fallbackValue
    return .derived(core.manager.optionalProperty(core.id, as: Value.self)) { $0 ?? fallbackValue }
  }
}

/// The common parts of the property wrappers.
@usableFromInline
struct TweakPropertyCore: Sendable {
  @usableFromInline let manager: TweakManager
  @usableFromInline let slot: TweakSlot

  @usableFromInline
  init(_ feature: String, _ variable: String, _ manager: TweakManager) {
    self.manager = manager
    slot = manager.tweakSlot(TweakID(feature: feature, variable: variable))
  }

  var id: TweakID { slot.id }

  @inlinable @inline(__always)
  func value<Value: TweakValueConvertible>(as type: Value.Type) -> Value? {
    // The compiler removes this for all other types.
    if Value.isTweakStructure, let known = slot.decoded(as: type) { return known }
    switch slot.glance {
    case .value(let value): if let value = Value(glanced: value) { return value }
    case .absent: return nil
    case .unclear: break
    }
    return manager.lookedUp(in: slot, as: type)
  }

  @usableFromInline
  func set(_ value: TweakValue?) {
    do throws(TweakError) {
      try manager.apply([TweakEdit(id, value)])
    } catch {
      manager.report(error)
    }
  }
}
