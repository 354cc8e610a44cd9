import Foundation
public import Signals

/// When sessions are renewed, and how often that is tried.
public struct SessionPolicy: Sendable, Hashable {
  /// The pauses after renewals that failed.
  ///
  /// Each pause must be longer than zero, unless the backoff has a limit. With a limit, no attempt follows the last pause
  /// until something else renews the session.
  public var retry: Backoff

  /// How long before it expires a session is renewed, at most; not negative.
  public var renewalMargin: Duration

  /// Which part of its remaining time is that margin, if it is less; from 0 to 1.
  public var renewalMarginFraction: Double

  /// The longest time to wait for another process, be it that it renews the session or that it has the archive; more than
  /// zero.
  ///
  /// A process that is stopped, or that iOS has suspended, keeps its locks. After this time a renewal fails with
  /// ``ContextError/refreshBlocked(processID:)`` if the other process may have used the token. Otherwise this process
  /// takes the renewal over. When the other one continues, it finds the new session, and drops its own answer.
  public var lockTimeout: Duration

  /// A Boolean value that indicates whether the server accepts a token a second time.
  ///
  /// Then a renewal is taken over even if the stopped process may have used the token. Set it only if the server allows
  /// for that: many servers take the second use of a token for theft, and end the session. Make ``lockTimeout`` longer
  /// than your delegate's request can take, because a slow process looks the same as a stopped one.
  public var acceptsTokenReuse: Bool

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - retry: The pauses after renewals that failed.
  ///   - renewalMargin: How long before it expires a session is renewed, at most.
  ///   - renewalMarginFraction: Which part of its remaining time is that margin, if it is less.
  ///   - lockTimeout: The longest time to wait for another process.
  ///   - acceptsTokenReuse: Whether the server accepts a token a second time.
  public init(
    retry: Backoff = .exponential(from: .seconds(1), upTo: .seconds(60), jitter: 0.2),
    renewalMargin: Duration = .seconds(60),
    renewalMarginFraction: Double = 0.2,
    lockTimeout: Duration = .seconds(10),
    acceptsTokenReuse: Bool = false
  ) {
    self.retry = retry
    self.renewalMargin = renewalMargin
    self.renewalMarginFraction = renewalMarginFraction
    self.lockTimeout = lockTimeout
    self.acceptsTokenReuse = acceptsTokenReuse
  }

  /// Throws ``ContextError/invalidPolicy(reason:)`` if the policy cannot be meant.
  func validate() throws(ContextError) {
    func refuse(_ reason: String) throws(ContextError) { throw .invalidPolicy(reason: reason) }
    if retry.limit == nil, let pause = retry.pause(after: 1, chance: 0.5), pause <= .zero {
      try refuse("retry has no pauses, so the server would be asked all the time. Make them longer than zero.")
    }
    if renewalMargin < .zero { try refuse("renewalMargin is \(renewalMargin), and must not be negative.") }
    if !(0...1).contains(renewalMarginFraction) {
      try refuse("renewalMarginFraction is \(renewalMarginFraction), and must be from 0 to 1.")
    }
    if lockTimeout <= .zero { try refuse("lockTimeout is \(lockTimeout), and must be more than zero.") }
  }

  /// When to renew a session that expires.
  func refreshDate(of expiration: Date, from now: Date) -> Date {
    let remaining = expiration.timeIntervalSince(now)
    return expiration.addingTimeInterval(-max(0, min(renewalMargin.inSeconds, remaining * renewalMarginFraction)))
  }
}
