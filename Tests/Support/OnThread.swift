import Foundation

/// Runs what may block on a thread of its own, so that the threads that tasks share stay free.
public func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Swift.Result(catching: body)) }.start()
  }
}
