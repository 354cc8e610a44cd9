import Signals

/// The evaluation of a tweak: its value, and how it came about.
public struct TweakDetails<Value: Sendable>: Sendable {
  /// The value, or the default of the key.
  public let value: Value

  /// The tweak that gave the value, with its provider, rule, variant and metadata; `nil` if the value is the default.
  public let tweak: Tweak?

  /// The reason.
  public let reason: TweakReason

  /// The failure, if the value is the default because of one.
  public let error: TweakError?

  /// The version of the manager, which is ``TweakSnapshot/version``.
  public let version: Int
}

extension TweakDetails: Equatable where Value: Equatable {}

/// The reason why a tweak has its value, with the names of OpenFeature.
@nonexhaustive
public enum TweakReason: String, Sendable, Hashable, Codable {
  /// The value is the same for everyone.
  case `static` = "STATIC"

  /// A rule matched the context.
  case targetingMatch = "TARGETING_MATCH"

  /// The user is in a share of all users.
  case split = "SPLIT"

  /// There are rules, and none of them applies.
  case `default` = "DEFAULT"

  /// The value is from the cache of an earlier launch.
  case cached = "CACHED"

  /// The value is from the cache, and may be outdated.
  case stale = "STALE"

  /// The server has disabled the tweak, so that reads return their default.
  case disabled = "DISABLED"

  /// There is no usable value, so that reads return their default.
  case error = "ERROR"
}

extension TweakManager {
  /// Asks the providers for a tweak, and returns its value with the reason.
  ///
  /// Hooks are called as for every lookup. This is not an exposure; see ``exposures``.
  ///
  /// - Parameter key: The key.
  /// - Returns: The evaluation. It has the default of the key if there is no value of the type.
  public func details<Value>(for key: TweakKey<Value>) -> TweakDetails<Value> {
    checkDeclared(.tweak(key.id))
    let resolution = askNow(.tweak(key.id))
    do throws(TweakError) {
      let tweak = try resolution.result.get()
      let found = ([tweak] + resolution.alternatives).lazy.compactMap { one in
        one.converted(to: Value.self).map { (one, $0) }
      }.first
      guard let (decisive, value) = found else {
        _ = try tweak.value(as: Value.self)
        return failed(key, .notFound(key.id))
      }
      return TweakDetails(
        value: value, tweak: decisive, reason: reason(of: decisive), error: nil, version: version)
    } catch {
      return failed(key, error)
    }
  }

  private func failed<Value>(_ key: TweakKey<Value>, _ error: TweakError) -> TweakDetails<Value> {
    let isDisabled = if case .disabled = error { true } else { false }
    return TweakDetails(
      value: key.defaultValue, tweak: nil, reason: isDisabled ? .disabled : .error, error: isDisabled ? nil : error,
      version: version)
  }

  /// Returns the reason that the provider gives, or the one that follows from the tweak.
  func reason(of tweak: Tweak) -> TweakReason {
    if let reason = tweak.reason { return reason }
    if tweak.rule != nil { return .targetingMatch }
    for source in state.withLock({ $0.sources.all }) {
      if source.name == tweak.source { break }
      if source.provider is TargetingTweakProvider, source.table.value.ids.contains(tweak.id) { return .default }
    }
    return .static
  }
}
