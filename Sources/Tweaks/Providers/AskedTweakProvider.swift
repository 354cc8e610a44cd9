public import Signals

/// A provider that is asked for each tweak, and whose only signal may be that something has changed.
///
/// It adapts a service with its own interface, such as a remote configuration:
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// final class Service: AskedTweakProvider {
///   let name = "Service"
///   let limit = MutableProperty(10)
///   let changed = Emitter<TweakUpdate, Never>()
///   var updates: AnySignal<TweakUpdate, Never>? { changed.eraseToAnySignal() }
///
///   func tweak(feature: String, variable: String) -> Tweak? {
///     variable == "limit" ? Tweak(feature: feature, variable: variable, value: .int(limit.value)) : nil
///   }
/// }
///
/// let service = Service()
/// let manager = TweakManager(providers: [service])
/// print(manager.value(feature: "shop", variable: "limit", default: 0))  // Prints "10"
/// service.limit.value = 20
/// service.changed.send(.everything)
/// print(manager.value(feature: "shop", variable: "limit", default: 0))  // Prints "20"
/// ```
///
/// - **Changes.** Send ``updates`` after each change. A provider that cannot announce its changes has no updates. A
///   manager then asks it again at each read, unless ``TweakManager/usesCache`` is set. Signals, properties and
///   snapshots of the manager show such a change after ``TweakManager/resetCache()``.
/// - **Threads.** All methods may be called from any thread, and concurrently. No lock of a manager is held, so a
///   provider may use the manager.
public protocol AskedTweakProvider: TweakProvider {
  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if the provider has none, so that the next one decides.
  /// - Throws: ``TweakError`` if the tweak cannot be used. ``TweakError/notFound(_:)`` is the same as `nil`.
  func tweak(feature: String, variable: String) throws(TweakError) -> Tweak?

  /// Returns whether a feature is enabled.
  ///
  /// By default, it is the Bool of the variable ``Tweak/enabledVariable``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the provider has none, so that the next one decides.
  /// - Throws: ``TweakError`` if the answer cannot be used. A manager decrypts an encrypted one.
  func featureState(_ feature: String) throws(TweakError) -> Bool?

  /// The names of the provider's tweaks, as far as it can list them; empty by default.
  var tweakIDs: Set<TweakID> { get }

  /// The changed tweaks, sent after each change; `nil`, the default, if the provider cannot announce its changes.
  ///
  /// A provider whose tweaks never change has `.never()`, so that a manager does not ask it again at each read.
  ///
  /// When an update is sent, ``tweak(feature:variable:)`` must already return the new value. A mutable provider also
  /// sends the changes that ``MutableTweakProvider/apply(_:)`` makes, for its other managers.
  var updates: AnySignal<TweakUpdate, Never>? { get }
}

extension AskedTweakProvider {
  /// Without it, a provider has no tweaks to ask for.
  @available(*, unavailable, message: "implement this method")
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? { nil }

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

  /// `nil`: the provider announces no changes.
  public var updates: AnySignal<TweakUpdate, Never>? { nil }

  /// A table that asks the provider, and follows its updates as long as the property is used.
  public var table: Property<TweakTable> {
    let updates = updates
    let isUnannounced = updates == nil
    let answers = TweakTable.Answers(
      tweak: { feature, variable throws(TweakError) in try tweak(feature: feature, variable: variable) },
      featureState: { feature throws(TweakError) in try featureState(feature) }, ids: { tweakIDs },
      isUnannounced: { isUnannounced })
    return .asking(answers, following: updates ?? .never())
  }
}

extension Property<TweakTable> {
  /// A table that asks for each tweak, and follows updates as long as the property is used.
  static func asking(
    _ answers: TweakTable.Answers, following updates: some Signal<TweakUpdate, Never>
  ) -> Property<TweakTable> {
    let table = MutableProperty(TweakTable(asking: answers))
    return Property(table, keeping: updates.sink { update in table.withLock { $0.touch(update) } })
  }
}
