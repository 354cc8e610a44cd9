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
