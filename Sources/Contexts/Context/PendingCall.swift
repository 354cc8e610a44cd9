import Signals

/// Somebody who waits for an engine's answer, and may cease to.
final class PendingCall<User: UserProtocol>: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  typealias Continuation = CheckedContinuation<User?, any Error>

  private let lock = Lock()
  private var continuation: Continuation?
  private var isCancelled = false

  /// Says who is to be resumed.
  ///
  /// - Returns: Whether anybody is; not if the task was cancelled before.
  func begin(_ continuation: Continuation) -> Bool {
    let isWaiting = lock.withLock {
      if !isCancelled { self.continuation = continuation }
      return !isCancelled
    }
    if !isWaiting { continuation.resume(throwing: CancellationError()) }
    return isWaiting
  }

  func end(_ result: Result<User?, ContextError>) {
    lock.withLock { continuation.take() }?.resume(with: result.mapError { $0 as any Error })
  }

  func cancel() {
    let waiting = lock.withLock {
      isCancelled = true
      return continuation.take()
    }
    waiting?.resume(throwing: CancellationError())
  }
}
