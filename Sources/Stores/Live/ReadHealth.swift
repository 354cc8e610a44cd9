import Signals

/// How a repeated read is doing: what its status is, and each failure.
final class ReadHealth: Sendable {
  let status = MutableProperty(SharedValueStatus<DatabaseError>.connecting)
  let failures = Emitter<DatabaseError, Never>()

  /// Notes that the last read has succeeded, and its value was delivered.
  func succeed() {
    if status.value != .current { status.value = .current }
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
