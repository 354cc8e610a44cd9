public import Signals

/// A policy for when a ``RemoteTweakProvider`` asks its server, and how it treats the answers.
public struct RemoteTweakPolicy: Sendable {
  /// The moment when new values take effect.
  @nonexhaustive
  public enum Activation: Sendable, Hashable {
    /// When they arrive, all at once.
    case immediate

    /// When the next launch begins, so that values do not change while the app runs.
    ///
    /// ``RemoteTweakProvider/identify(_:)`` and ``RemoteTweakProvider/activate()`` also make them effective.
    case nextLaunch
  }

  var polling: Duration?
  var pollingJitter: Double
  var firstDelay: Duration
  var timeout: Duration
  var retry: Backoff
  var longestRetryAfter: Duration
  var staleAge: Duration?
  var activation: Activation
  var maximumBodySize: Int
  var identityAttributes: Set<String>

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - polling: The pause between two requests; `nil` if requests are made only by ``RemoteTweakProvider/refresh()``.
  ///   - pollingJitter: The largest fraction, from 0 to 1, by which a pause between requests is randomly lengthened or
  ///     shortened.
  ///   - firstDelay: The longest random delay of the first request. It spreads the requests of clients that start at the
  ///     same moment. Without usable values, the first request is sent at once.
  ///   - timeout: The longest time to wait for an answer. Then the request is cancelled, and counts as failed.
  ///   - retry: The pauses after failures.
  ///   - longestRetryAfter: The longest time for which a server can postpone requests with `Retry-After`.
  ///   - staleAge: The age at which cached values count as stale; `nil` if age does not matter.
  ///   - activation: The moment when new values take effect.
  ///   - maximumBodySize: The largest number of bytes in an answer. A larger answer is refused before it is decoded.
  ///   - identityAttributes: The attributes of the context that belong to the user's identity, in addition to the
  ///     targeting key. Values that were fetched with other identity attributes are not used. If any other attribute
  ///     differs, cached values are used and count as stale.
  public init(
    polling: Duration? = .seconds(300),
    pollingJitter: Double = 0.2,
    firstDelay: Duration = .seconds(10),
    timeout: Duration = .seconds(60),
    retry: Backoff = .fullJitter(from: .seconds(1), upTo: .seconds(300)),
    longestRetryAfter: Duration = .seconds(3600),
    staleAge: Duration? = .seconds(86_400),
    activation: Activation = .immediate,
    maximumBodySize: Int = 1 << 20,
    identityAttributes: Set<String> = []
  ) {
    self.polling = polling
    self.pollingJitter = pollingJitter
    self.firstDelay = firstDelay
    self.timeout = timeout
    self.retry = retry
    self.longestRetryAfter = longestRetryAfter
    self.staleAge = staleAge
    self.activation = activation
    self.maximumBodySize = maximumBodySize
    self.identityAttributes = identityAttributes
  }

  /// A policy with which requests are made only by ``RemoteTweakProvider/refresh()``.
  public static let onRequest = RemoteTweakPolicy(polling: nil)
}
