import Signals

/// All tweaks that are known, at one moment.
///
/// What is changed by one ``TweakManager/update(_:)``, or by one change of a file, is in it as a whole or not at all;
/// of a file, that holds for tweaks that somebody has looked at before, such as by a snapshot.
public struct TweakSnapshot: Sendable, Hashable {
  /// How many times something in force has changed since the manager was made.
  public let version: Int

  /// The tweaks that are in force, by name.
  public let tweaks: [TweakID: Tweak]

  /// The tweaks of providers below, for when the one in force is not of the type that is asked for.
  let alternatives: [TweakID: [Tweak]]

  /// The value of a typed key, as the manager gave it at that moment.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, or the key's default if there is none, or none of the type.
  public subscript<Value>(key: TweakKey<Value>) -> Value {
    if let value = tweaks[key.id]?.converted(to: Value.self) { return value }
    let alternative = alternatives[key.id]?.lazy.compactMap { $0.converted(to: Value.self) }.first
    return alternative ?? key.defaultValue
  }

  /// The tweak of a name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is none that could be used.
  public subscript(feature: String, variable: String) -> Tweak? {
    tweaks[TweakID(feature: feature, variable: variable)]
  }
}

extension TweakManager {
  /// How many times something in force has changed, of what has been read or observed.
  public var version: Int { state.withLock { $0.tweaks.version } }

  /// All tweaks that the providers know to have, and those that have been read, at one moment.
  ///
  /// A tweak that its provider does not list in ``TweakProvider/tweakIDs`` is included only after it was read once. An
  /// ``EnvironmentTweakProvider`` lists its tweaks if it was made with `known`.
  ///
  /// - Returns: The snapshot.
  /// - Complexity: O(*n*) in the number of tweaks.
  public func snapshot() -> TweakSnapshot {
    lookUpAll()
    return state.withLock { $0.tweaks.snapshot }
  }
}
