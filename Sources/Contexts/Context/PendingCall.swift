import Signals

/// A call that waits for an engine's answer, and can be cancelled.
final class PendingCall<Answer: Sendable>: Sendable {
  typealias Continuation = CheckedContinuation<Answer, any Error>

  private struct State {
    var continuation: Continuation?
    var isCancelled = false
  }

  private let state = Guarded(State())

  /// Sets the continuation to resume.
  ///
  /// - Returns: Whether the call waits; `false` if the task was cancelled before.
  func begin(_ continuation: Continuation) -> Bool {
    let isWaiting = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return !state.isCancelled
    }
    if !isWaiting { continuation.resume(throwing: CancellationError()) }
    return isWaiting
  }

  func end(_ result: Result<Answer, ContextError>) {
    state.withLock { $0.continuation.take() }?.resume(with: result.mapError { $0 as any Error })
  }

  func cancel() {
    let waiting = state.withLock { state in
      state.isCancelled = true
      return state.continuation.take()
    }
    waiting?.resume(throwing: CancellationError())
  }
}
