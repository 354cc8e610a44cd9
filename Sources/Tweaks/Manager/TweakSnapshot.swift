import Signals

/// All known tweaks at one moment.
///
/// A snapshot contains all changes of one ``TweakManager/apply(_:)``, or none. The same holds for one change of a
/// file, for tweaks that have been looked up before, such as by a snapshot.
public struct TweakSnapshot: Sendable, Hashable {
  /// The number of changes of effective values since the manager was created.
  public let version: Int

  /// The effective tweaks by name.
  public let tweaks: [TweakID: Tweak]

  /// The tweaks of providers below, for reads of a type that the effective tweak does not have.
  let alternatives: [TweakID: [Tweak]]

  /// Returns the value for a typed key, as the manager returned it at that moment.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, or the key's default if there is no value of the type.
  public subscript<Value>(key: TweakKey<Value>) -> Value {
    if let value = tweaks[key.id]?.converted(to: Value.self) { return value }
    let alternative = alternatives[key.id]?.lazy.compactMap { $0.converted(to: Value.self) }.first
    return alternative ?? key.defaultValue
  }
}

extension TweakManager {
  /// The number of changes of effective values of tweaks that have been read or observed.
  var version: Int { state.withLock { $0.index.version } }

  /// Returns a snapshot of all tweaks that the providers list or that have been read.
  ///
  /// A tweak that its provider does not list in ``TweakTable/ids`` is included only after it was read once. An
  /// ``EnvironmentTweakProvider`` lists its tweaks if it was created with `known`.
  ///
  /// - Returns: The snapshot.
  /// - Complexity: O(*n*) in the number of tweaks.
  public func snapshot() -> TweakSnapshot {
    lookUpAll()
    return state.withLock { $0.index.snapshot }
  }
}
