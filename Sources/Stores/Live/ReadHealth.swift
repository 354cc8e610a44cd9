import Signals

/// How a repeated read is doing: what its status is, and each failure.
final class ReadHealth: Sendable {
  let status = MutableProperty(SharedValueStatus<DatabaseError>.connecting)
  let failures = Emitter<DatabaseError, Never>()

  /// Notes that the last read has succeeded, and its value was delivered.
  func succeed() {
    if status.value != .current { status.value = .current }
  }

  /// Publishes the status of new contents, without an event.
  ///
  /// - Parameters:
  ///   - failure: The reason why they could not be read.
  ///   - isAwaiting: A Boolean value that indicates whether they are still to be read.
  func publish(_ failure: DatabaseError?, isAwaiting: Bool) {
    let new: SharedValueStatus<DatabaseError> =
      if let failure { .stale(failure, since: .now) } else { isAwaiting ? .connecting : .current }
    if status.value != new { status.value = new }
  }

  /// Notes that the last read has failed.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - isRetry: Whether nothing has happened since the read before, whose failure is then not reported again.
  func fail(_ error: DatabaseError, isRetry: Bool) {
    let previous = status.value
    if previous.failure != error { status.value = .stale(error, after: previous) }
    if !isRetry || previous.failure != error { failures.send(error) }
  }
}
