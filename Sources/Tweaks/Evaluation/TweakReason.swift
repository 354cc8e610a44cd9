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

/// The kind of an evaluation's failure, with the names of OpenFeature.
@nonexhaustive
public enum TweakErrorCode: String, Sendable, Hashable, Codable {
  /// No provider has the tweak.
  case flagNotFound = "FLAG_NOT_FOUND"

  /// The value is of another type.
  case typeMismatch = "TYPE_MISMATCH"

  /// A file of tweaks is malformed.
  case parseError = "PARSE_ERROR"

  /// A rule needs the identity of the user.
  case targetingKeyMissing = "TARGETING_KEY_MISSING"

  /// No provider has the tweak, and the answer of a server is still expected.
  case providerNotReady = "PROVIDER_NOT_READY"

  /// No provider has the tweak, and a server has refused the request.
  case providerFatal = "PROVIDER_FATAL"

  /// Any other failure.
  case general = "GENERAL"
}

extension TweakError {
  /// The kind of the failure, with the names of OpenFeature.
  ///
  /// It is never ``TweakErrorCode/providerNotReady`` or ``TweakErrorCode/providerFatal``, which
  /// ``TweakManager/details(for:)`` finds out.
  var code: TweakErrorCode {
    switch self {
    case .notFound: .flagNotFound
    case .typeMismatch: .typeMismatch
    case .invalidFile: .parseError
    case .targetingKeyMissing: .targetingKeyMissing
    default: .general
    }
  }
}
