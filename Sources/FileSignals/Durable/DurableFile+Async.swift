public import Foundation

extension DurableFile {
  /// Replaces the content of a file, or creates the file, without blocking a thread of the concurrency pool.
  ///
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file; its directory must exist.
  ///   - durability: The failures that the content survives after this method returns.
  ///   - mode: The file's permissions. By default, existing permissions are kept, and a new file gets `0o600`.
  /// - Throws: ``DurableFileError``, or `CancellationError` if the task was cancelled before it began.
  public static func write(
    _ data: Data, to url: URL, durability: Durability = .storage, mode: UInt16? = nil
  ) async throws {
    try await BlockingCalls.run(for: url) {
      try write(data, to: url, durability: durability, mode: mode)
    }
  }

  /// Runs a closure while holding the file's lock, without blocking a thread of the concurrency pool.
  ///
  /// The closure runs on a queue of the file's own and cannot suspend. A lock held across an `await` could block every
  /// thread while the task that holds it waits for a thread. To lock several files, see the blocking form.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - body: A closure that runs once. Keep it short, because other processes wait for it.
  /// - Returns: The result of `body`.
  /// - Throws: ``DurableFileError`` if the file could not be locked, `CancellationError` if the task was cancelled
  ///   before the work began, or the error that `body` throws.
  public static func withLock<Result: Sendable>(
    on url: URL, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try withLock(on: url, body) }
  }

  /// Runs a closure with exclusive access to a file, without blocking a thread of the concurrency pool.
  package static func withExclusiveAccess<Result: Sendable>(
    to url: URL, _ body: @escaping @Sendable (ExclusiveFile) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try withExclusiveAccess(to: url, body) }
  }
}
