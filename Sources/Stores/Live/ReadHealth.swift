package import Signals

/// The status of a repeated read, and its failures.
package final class ReadHealth: Sendable {
  package let status = MutableProperty(SharedValueStatus<DatabaseError>.connecting)
  package let failures: FailureRelay<DatabaseError>

  /// Creates the status of a read.
  ///
  /// - Parameters:
  ///   - reader: The type of the object that reads.
  ///   - path: The path of the database, or of the directory of the databases.
  init(of reader: String, _ path: String) {
    failures = FailureRelay(of: reader, path)
  }

  /// Records that the last read has succeeded, and its value was delivered.
  func succeed() {
    // Comparing whole statuses takes as long as reading a row.
    if case .current = status.value { return }
    status.value = .current
  }

  /// Publishes the status of new contents, without an event.
  ///
  /// - Parameters:
  ///   - failure: The reason why they could not be read.
  ///   - isAwaiting: A Boolean value that indicates whether they have yet to be read.
  func publish(_ failure: DatabaseError?, isAwaiting: Bool) {
    let new: SharedValueStatus<DatabaseError> =
      if let failure { .stale(failure, since: .now) } else { isAwaiting ? .connecting : .current }
    if status.value != new { status.value = new }
  }

  /// Sends a failure, and reports it unless the program itself has closed the database.
  package func send(_ error: DatabaseError) {
    switch error {
    case .closed, .switched, .suspended: failures.deliver(error)
    default: failures.send(error)
    }
  }

  /// Records that the last read has failed.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - isRetry: A Boolean value that indicates whether nothing has changed since the previous read. The same failure
  ///     is then not reported again.
  func fail(_ error: DatabaseError, isRetry: Bool) {
    let previous = status.value
    if previous.failure != error { status.value = .stale(error, after: previous) }
    if !isRetry || previous.failure != error { send(error) }
  }
}
