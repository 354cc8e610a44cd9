/// The relation of a shared value to the stored one.
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
