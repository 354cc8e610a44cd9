import Foundation
public import Signals

/// A policy for when sessions are renewed, how often a failed renewal is tried again, and how long sessions are kept.
public struct SessionPolicy: Sendable, Hashable {
  /// The pauses after renewals that failed.
  ///
  /// Each pause must be longer than zero, unless the backoff has a limit. With a limit, no attempt follows the last pause
  /// until something else renews the session.
  public var retry: Backoff

  /// The longest time before its expiration at which a session is renewed; not negative.
  public var renewalMargin: Duration

  /// The part of the session's remaining time, from 0 to 1, that limits the margin of a short session.
  public var renewalMarginFraction: Double

  /// The longest time to wait for another process that renews the session or uses the archive; more than zero.
  ///
  /// A process that is stopped, or that iOS has suspended, keeps its locks. If that process may have used the token, a
  /// renewal fails after this time with ``ContextError/refreshBlocked(processID:)``. Otherwise this process takes the
  /// renewal over. When the other process resumes, it finds the new session and drops its own answer.
  public var lockTimeout: Duration

  /// A Boolean value that indicates whether the server accepts a token a second time.
  ///
  /// If `true`, a renewal is taken over even if the stopped process may have used the token. Set it only if the server
  /// allows reuse: many servers treat the second use of a token as theft, and end the session. Make ``lockTimeout``
  /// longer than your delegate's request can take, because a slow process looks the same as a stopped one.
  public var acceptsTokenReuse: Bool

  /// A Boolean value that indicates whether the session of a user is kept while the user is not logged in.
  ///
  /// If `true`, a user whom another one replaces, or who leaves with ``StandardAppContext/logout(keepingSession:)``,
  /// stays in the archive with all properties and the secret. ``StandardAppContext/reopen(userID:)`` continues the
  /// session without a login. If `false`, the archive keeps only ``SessionUser/remembered``. Use the same value in all
  /// processes.
  public var keepsSessions: Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - retry: The pauses after renewals that failed.
  ///   - renewalMargin: The longest time before its expiration at which a session is renewed.
  ///   - renewalMarginFraction: The part of the remaining time that limits the margin of a short session.
  ///   - lockTimeout: The longest time to wait for another process.
  ///   - acceptsTokenReuse: A Boolean value that indicates whether the server accepts a token a second time.
  ///   - keepsSessions: A Boolean value that indicates whether the session of a user is kept while the user is not
  ///     logged in.
  public init(
    retry: Backoff = .exponential(from: .seconds(1), upTo: .seconds(60), jitter: 0.2),
    renewalMargin: Duration = .seconds(60),
    renewalMarginFraction: Double = 0.2,
    lockTimeout: Duration = .seconds(10),
    acceptsTokenReuse: Bool = false,
    keepsSessions: Bool = false
  ) {
    self.retry = retry
    self.renewalMargin = renewalMargin
    self.renewalMarginFraction = renewalMarginFraction
    self.lockTimeout = lockTimeout
    self.acceptsTokenReuse = acceptsTokenReuse
    self.keepsSessions = keepsSessions
  }

  /// Throws ``ContextError/invalidPolicy(reason:)`` if the policy is invalid.
  func validate() throws(ContextError) {
    func refuse(_ reason: String) throws(ContextError) { throw .invalidPolicy(reason: reason) }
    if retry.limit == nil, let pause = retry.pause(after: 1, chance: 0.5), pause <= .zero {
      try refuse("retry never pauses, so it would flood the server with requests. Use pauses longer than zero")
    }
    if renewalMargin < .zero { try refuse("renewalMargin is \(renewalMargin), but must not be negative") }
    if !(0...1).contains(renewalMarginFraction) {
      try refuse("renewalMarginFraction is \(renewalMarginFraction), but must lie between 0 and 1")
    }
    if lockTimeout <= .zero { try refuse("lockTimeout is \(lockTimeout), but must be greater than zero") }
  }

  /// Returns the date at which to renew a session that expires.
  func refreshDate(of expiration: Date, from now: Date) -> Date {
    let remaining = expiration.timeIntervalSince(now)
    return expiration.addingTimeInterval(-max(0, min(renewalMargin.inSeconds, remaining * renewalMarginFraction)))
  }
}
