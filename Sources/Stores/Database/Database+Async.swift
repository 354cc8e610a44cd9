import FileSignals

extension Database {
  /// Reads without blocking the threads that tasks run on.
  ///
  /// - Parameter body: Reads, on a thread of the database. It cannot suspend.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError` if the task was cancelled before `body`
  ///   began.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (ReadTransaction) throws -> Result
  ) async throws -> Result {
    try await asyncReads.run { [self] in try read(body) }
  }

  /// Changes the database without blocking the threads that tasks run on.
  ///
  /// The closure runs on a thread of the database and cannot suspend. A lock that is held across an `await` could keep
  /// every thread waiting for a task that has no thread to run on.
  ///
  /// - Parameter body: Reads and writes. Keep it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError` if the task was cancelled before `body`
  ///   began; then nothing has changed.
  @discardableResult
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await asyncWrites.run { [self] in try write(body) }
  }
}
