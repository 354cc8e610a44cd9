public import Foundation

/// The state of a ``RemoteTweakProvider``.
///
/// In every state, the last good values stay in effect.
@nonexhaustive
public enum RemoteTweakState: Sendable, Hashable {
  /// No answer has come, and no answer is cached.
  case notReady

  /// The values are from the last answer, from the server or from the cache of an earlier launch.
  case ready

  /// The values are from the cache, and may be outdated: they are too old, of unknown age, or for other attributes.
  case stale

  /// The last request failed; the provider tries again.
  case error(TweakRequestFailure)

  /// The server refused the request, and the provider tries no more: status 401 or 403.
  case fatal(TweakRequestFailure)
}

/// The origin of the values of a ``RemoteTweakProvider``.
@nonexhaustive
public enum RemoteTweakOrigin: Sendable, Hashable {
  /// There are no values, so that the next provider or the default decides.
  case none

  /// The values that the provider was created with.
  case bootstrap

  /// An answer from an earlier launch, which the server has not confirmed in this one.
  case cache

  /// An answer that the server gave or confirmed in this launch, or newer values than the server gave.
  ///
  /// The server may have given it to another process, if its ``TweakCache`` shares fetches.
  case network
}

/// The state of a ``RemoteTweakProvider`` with the origin and the age of its values.
public struct RemoteTweakStatus: Sendable, Hashable {
  /// The state.
  public var state: RemoteTweakState

  /// The origin of the values.
  public var origin: RemoteTweakOrigin

  /// The date when the server last gave or confirmed the values; `nil` if there are none from the server.
  public var fetchDate: Date?

  /// A Boolean value that indicates whether nothing more is expected soon: the server has answered, it has refused, or
  /// the provider is offline.
  var isSettled = false
}
