/// A rule for the pauses between attempts: the first pause, its growth, and the number of attempts.
///
/// A backoff is a value and has no clock. The component that waits chooses the clock, so tests can use virtual time.
///
/// ```swift
/// import Signals
///
/// var pauses = Backoff.exponential(from: .seconds(1), upTo: .seconds(5)).pauses()
/// for _ in 1...4 {
///   if let pause = pauses.next() { print(pause) }
/// }
/// // Prints "1.0 seconds"
/// // Prints "2.0 seconds"
/// // Prints "4.0 seconds"
/// // Prints "5.0 seconds"
/// ```
public struct Backoff: Sendable, Hashable {
  /// The pause after the first failed attempt.
  public var first: Duration

  /// The number by which each pause is multiplied for the next one; at least 1.
  public var factor: Double

  /// The longest pause, before jitter.
  public var longest: Duration

  /// The largest fraction, from 0 to 1, by which a pause is randomly lengthened or shortened.
  ///
  /// Jitter keeps many clients from retrying at the same moment.
  public var jitter: Double

  /// The number of pauses before giving up; `nil` for no limit.
  public var limit: Int?

  /// Returns a backoff whose pauses grow by a factor, up to a maximum.
  ///
  /// - Parameters:
  ///   - first: The first pause. With a pause of zero, the next attempt follows at once.
  ///   - longest: The longest pause, before jitter.
  ///   - factor: The number by which each pause is multiplied for the next one; at least 1.
  ///   - jitter: The largest fraction, from 0 to 1, by which a pause is randomly varied.
  ///   - limit: The number of pauses before giving up; `nil` for no limit.
  /// - Returns: The backoff.
  public static func exponential(
    from first: Duration, upTo longest: Duration, factor: Double = 2, jitter: Double = 0, limit: Int? = nil
  ) -> Backoff {
    Backoff(first: first, factor: factor, longest: longest, jitter: jitter, limit: limit).checked()
  }

  /// Returns a backoff whose pauses are all equal.
  ///
  /// - Parameters:
  ///   - pause: The pause. With a pause of zero, the next attempt follows at once.
  ///   - jitter: The largest fraction, from 0 to 1, by which a pause is randomly varied.
  ///   - limit: The number of pauses before giving up; `nil` for no limit.
  /// - Returns: The backoff.
  public static func constant(_ pause: Duration, jitter: Double = 0, limit: Int? = nil) -> Backoff {
    Backoff(first: pause, factor: 1, longest: pause, jitter: jitter, limit: limit).checked()
  }

  /// Returns a backoff whose pauses are random, from zero to a limit that doubles after each failure.
  ///
  /// This is full jitter. It spreads the attempts of many clients that failed at the same moment.
  ///
  /// - Parameters:
  ///   - first: The limit of the first pause.
  ///   - longest: The limit of all pauses.
  ///   - limit: The number of pauses before giving up; `nil` for no limit.
  /// - Returns: The backoff.
  public static func fullJitter(from first: Duration, upTo longest: Duration, limit: Int? = nil) -> Backoff {
    // A pause that jitter lengthens or shortens by all of itself lies between zero and its double.
    exponential(from: first / 2, upTo: longest / 2, jitter: 1, limit: limit)
  }

  /// Stops the program if a number makes no sense.
  private func checked() -> Backoff {
    if first < .zero { stop(because: "A pause cannot be negative: \(first)") }
    if !(factor >= 1) { stop(because: "A backoff's factor must be at least 1, not \(factor)") }
    if !(0...1).contains(jitter) { stop(because: "A backoff's jitter must lie between 0 and 1, not \(jitter)") }
    if let limit, limit < 0 { stop(because: "A backoff's limit cannot be negative: \(limit)") }
    return self
  }

  /// Returns the pause after a failed attempt.
  ///
  /// - Parameters:
  ///   - failures: The number of attempts that have failed in a row, from 1.
  ///   - chance: A number from 0 to 1 that determines the jitter; 0.5 means none.
  /// - Returns: The pause, or `nil` if the limit has been reached.
  /// - Complexity: O(1).
  public func pause(after failures: Int, chance: Double = .random(in: 0...1)) -> Duration? {
    let earlier = Swift.max(0, failures - 1)
    if let limit, earlier >= limit { return nil }
    var pause = Swift.min(first, longest)
    if factor > 1, earlier > 0, pause > .zero, pause < longest {
      // Computed in floating point, because a product of durations could overflow; exact at the maximum.
      let grown = pause.inSeconds * Self.power(factor, earlier)
      pause = grown < longest.inSeconds ? .seconds(grown) : longest
    }
    if jitter > 0 { pause = .seconds(pause.inSeconds * (1 + Swift.min(jitter, 1) * (chance * 2 - 1))) }
    return pause
  }

  /// Returns the pauses of one series of attempts.
  public func pauses() -> Pauses {
    Pauses(backoff: self)
  }

  /// The pauses of one series of attempts, in order.
  public struct Pauses: Sendable, Hashable, IteratorProtocol {
    fileprivate let backoff: Backoff

    /// The number of attempts that have failed in a row.
    public private(set) var failures = 0

    /// Counts a failed attempt and returns the pause before the next one, or `nil` if the limit has been reached.
    public mutating func next() -> Duration? {
      failures = failures == .max ? failures : failures + 1
      return backoff.pause(after: failures)
    }

    /// Starts over after a successful attempt.
    public mutating func reset() {
      failures = 0
    }
  }

  /// Returns a power with an integer exponent, without the C library.
  private static func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, base, exponent) = (1.0, base, exponent)
    while exponent > 0 {
      if exponent & 1 == 1 { result *= base }
      base *= base
      exponent >>= 1
    }
    return result
  }
}

extension Duration {
  /// The duration in seconds, to the precision of `Double`.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
