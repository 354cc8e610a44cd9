import Signals

/// Runs an operation, and cancels it after a time.
///
/// - Returns: The result of the operation, or `nil` if the time was over before.
func within<Result: Sendable>(
  _ time: Duration, _ operation: @escaping @Sendable () async -> Result
) async -> Result? {
  await withTaskGroup(of: Result?.self) { group in
    group.addTask { await operation() }
    group.addTask {
      // Cancellation ends the sleep, and its result does not count then.
      _ = await pause(time)
      return nil
    }
    let first = await group.next() ?? nil
    group.cancelAll()
    return first
  }
}

/// Waits for a time.
///
/// - Returns: `false` if the task was cancelled.
@discardableResult
func pause(_ time: Duration) async -> Bool {
  do {
    try await Task.sleep(for: time)
    return true
  } catch {
    return false
  }
}
