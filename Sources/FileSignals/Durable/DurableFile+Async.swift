public import Foundation

extension DurableFile {
  /// Replaces a file's content, or creates the file, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file; its directory must exist.
  ///   - durability: What the content is safe against when this returns.
  ///   - mode: The file's permissions; by default those it has, or `0o600` for a new file.
  /// - Throws: ``DurableFileError``, or `CancellationError` if the task was cancelled before it began.
  public static func write(
    _ data: Data, to url: URL, durability: Durability = .storage, mode: UInt16? = nil
  ) async throws {
    try await BlockingCalls.run(for: url) {
      try write(data, to: url, durability: durability, mode: mode)
    }
  }

  /// Runs a closure while nobody else holds the file's lock, without blocking the threads that tasks run on.
  ///
  /// The closure runs on a queue of the file's own, and cannot suspend: a lock held across an `await` could keep every
  /// thread waiting for a task that has none to run on.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - body: Runs once. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: ``DurableFileError`` if the file could not be locked, `CancellationError` if the task was cancelled
  ///   before it began, or else what `body` threw.
  public static func withLock<Result: Sendable>(
    on url: URL, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try withLock(on: url, body) }
  }

  /// Runs a closure with exclusive access to a file, without blocking the threads that tasks run on.
  package static func withExclusiveAccess<Result: Sendable>(
    to url: URL, _ body: @escaping @Sendable (ExclusiveFile) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try withExclusiveAccess(to: url, body) }
  }
}
