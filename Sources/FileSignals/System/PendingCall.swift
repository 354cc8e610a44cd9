import Signals

/// An asynchronous call that waits for an answer through a closure, and can be cancelled.
package final class PendingCall<Answer: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Answer, any Error>?
    var isCancelled = false
  }

  private let state = Guarded(State())

  package init() {}

  /// Sets the continuation to resume.
  ///
  /// - Parameter continuation: The continuation, which is resumed exactly once.
  /// - Returns: Whether the call waits; `false` if the task was cancelled before.
  package func begin(_ continuation: CheckedContinuation<Answer, any Error>) -> Bool {
    let isWaiting = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return !state.isCancelled
    }
    if !isWaiting { continuation.resume(throwing: CancellationError()) }
    return isWaiting
  }

  /// Ends the call, unless it has ended or been cancelled.
  package func end(_ result: Result<Answer, some Error>) {
    state.withLock { $0.continuation.take() }?.resume(with: result.mapError { $0 as any Error })
  }

  /// Ends the call with a `CancellationError`, unless it has ended.
  package func cancel() {
    let waiting = state.withLock { state in
      state.isCancelled = true
      return state.continuation.take()
    }
    waiting?.resume(throwing: CancellationError())
  }
}
