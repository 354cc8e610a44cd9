/// How a shared value relates to what is stored.
public enum SharedValueStatus<AccessError: Error & Hashable>: Sendable, Hashable {
  /// The value is the stored one, as far as the process has been told.
  case current

  /// The store has not answered yet: the value is the initial one, or one that was kept from before.
  ///
  /// Files never have this status, because they are read when they are opened.
  case connecting

  /// Nothing is stored: the value is the last one that was, or the initial one.
  case missing

  /// What is stored cannot be reached or used: the value is the last good one, or the initial one.
  ///
  /// The second value tells when the trouble began. It stays the same when one failure follows another.
  case stale(AccessError, since: ContinuousClock.Instant)

  /// The failure that makes the value stale; `nil` if it is not.
  public var failure: AccessError? {
    if case .stale(let failure, _) = self { failure } else { nil }
  }

  /// Since when the value has been stale; `nil` if it is not.
  public var staleSince: ContinuousClock.Instant? {
    if case .stale(_, let since) = self { since } else { nil }
  }

  /// Makes the status of a value that is stale because of a failure.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - previous: The status before; if it was stale, the trouble began then.
  /// - Returns: The status.
  package static func stale(_ failure: AccessError, after previous: Self) -> Self {
    .stale(failure, since: previous.staleSince ?? .now)
  }
}
