import Foundation

/// When sessions are renewed, and how often that is tried.
public struct SessionPolicy: Sendable, Hashable {
  /// The time after the first failure until the next try; each further failure doubles it.
  public var firstRetry: Duration

  /// The longest time between two tries.
  public var longestRetry: Duration

  /// By what part of itself a time between two tries is varied at random, so that many clients do not come back at
  /// once.
  public var jitter: Double

  /// How long before it expires a session is renewed, at most.
  public var largestMargin: Duration

  /// Which part of its remaining time is that margin, if it is less.
  public var marginPart: Double

  /// The longest time to wait for another process, be it that it renews the session or that it has the archive.
  ///
  /// A process that is stopped, or that iOS has suspended, keeps its locks. After this time a renewal fails with
  /// ``ContextError/refreshBlocked(processID:)`` if the other process may have used the token. Otherwise this process
  /// takes the renewal over. When the other one continues, it finds the new session, and drops its own answer.
  public var longestWait: Duration

  /// A Boolean value that indicates whether the server accepts a token a second time.
  ///
  /// Then a renewal is taken over even if the stopped process may have used the token. Set it only if the server allows
  /// for that: many servers take the second use of a token for theft, and end the session. Make ``longestWait`` longer
  /// than your delegate's request can take, because a slow process looks the same as a stopped one.
  public var repeatsTokens: Bool

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - firstRetry: The time after the first failure until the next try.
  ///   - longestRetry: The longest time between two tries.
  ///   - jitter: By what part of itself that time is varied, from 0 to 1.
  ///   - largestMargin: How long before it expires a session is renewed, at most.
  ///   - marginPart: Which part of its remaining time is that margin, if it is less.
  ///   - longestWait: The longest time to wait for another process.
  ///   - repeatsTokens: Whether the server accepts a token a second time.
  public init(
    firstRetry: Duration = .seconds(1),
    longestRetry: Duration = .seconds(60),
    jitter: Double = 0.2,
    largestMargin: Duration = .seconds(60),
    marginPart: Double = 0.2,
    longestWait: Duration = .seconds(10),
    repeatsTokens: Bool = false
  ) {
    self.firstRetry = firstRetry
    self.longestRetry = longestRetry
    self.jitter = jitter
    self.largestMargin = largestMargin
    self.marginPart = marginPart
    self.longestWait = longestWait
    self.repeatsTokens = repeatsTokens
  }

  /// The time until the next try.
  ///
  /// - Parameters:
  ///   - failures: How many tries have failed in a row, from 1.
  ///   - chance: A number from 0 to 1 that decides on the variation.
  /// - Returns: The time.
  func delay(after failures: Int, chance: Double) -> TimeInterval {
    let doubled = firstRetry.seconds * Double(1 << (min(failures, 32) - 1))
    return min(doubled, longestRetry.seconds) * (1 + jitter * (chance * 2 - 1))
  }

  /// When to renew a session that expires.
  func refreshDate(of expiration: Date, from now: Date) -> Date {
    let remaining = expiration.timeIntervalSince(now)
    return expiration.addingTimeInterval(-max(0, min(largestMargin.seconds, remaining * marginPart)))
  }
}

extension Duration {
  /// The duration as Foundation counts time.
  var seconds: TimeInterval {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
