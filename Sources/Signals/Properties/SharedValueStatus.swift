/// The relation of a shared value to the stored one.
@frozen
public enum SharedValueStatus<AccessError: Error & Hashable>: Sendable, Hashable {
  /// The value is the stored one, as far as the process knows.
  case current

  /// The store has not answered yet.
  ///
  /// The value is the initial one, or one that was kept from earlier.
  ///
  /// Files never have this status, because they are read when they are opened.
  case connecting

  /// Nothing is stored.
  ///
  /// The value is the last one that was stored, or the initial one.
  case missing

  /// The stored value cannot be reached or used.
  ///
  /// The value is the last good one, or the initial one.
  ///
  /// The second associated value is the time of the first failure. It stays the same when one failure follows another.
  case stale(AccessError, since: ContinuousClock.Instant)

  /// The failure that makes the value stale; `nil` if it is not.
  public var failure: AccessError? {
    if case .stale(let failure, _) = self { failure } else { nil }
  }

  /// The time since which the value has been stale; `nil` if it is not.
  public var staleSince: ContinuousClock.Instant? {
    if case .stale(_, let since) = self { since } else { nil }
  }

  /// Returns the status of a value that a failure has made stale.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - previous: The status before. If it was stale, its time is kept.
  /// - Returns: The status.
  package static func stale(_ failure: AccessError, after previous: Self) -> Self {
    .stale(failure, since: previous.staleSince ?? .now)
  }
}

extension SharedValueStatus: CustomStringConvertible {
  /// The status in words, such as `current`, or `stale for 3.2 s:` and the failure.
  ///
  /// The time is the time until now.
  public var description: String {
    switch self {
    case .current: "current"
    case .connecting: "connecting"
    case .missing: "missing"
    case .stale(let failure, let since): "stale for \(Self.words(for: since.duration(to: .now))): \(failure)"
    }
  }

  /// Returns a time in seconds, minutes or hours.
  private static func words(for duration: Duration) -> String {
    let seconds = max(0, duration.inSeconds)
    if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
    return seconds < 3600 ? "\(Int(seconds / 60)) min" : "\(Int(seconds / 3600)) h"
  }
}
