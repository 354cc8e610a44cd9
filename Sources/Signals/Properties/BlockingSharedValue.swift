/// A shared value that can also be read and changed while the calling thread waits.
///
/// The store of such a value is on this machine, for example a file. Tasks use the asynchronous methods of
/// ``SharedValue``. Code that is not asynchronous uses these methods, which block its thread until other processes have
/// finished their changes.
public protocol BlockingSharedValue<Value>: SharedValue {
  /// Reads the stored value.
  ///
  /// - Returns: The stored value, which may be newer than ``SharedValue/value``.
  /// - Throws: An error if the stored value cannot be read or decoded.
  func read() throws -> Value

  /// Stores a value; the last writer wins.
  ///
  /// When this method returns, ``SharedValue/value`` is the new value.
  ///
  /// - Parameter value: The value to store.
  /// - Throws: An error if the value could not be stored. The stored value is then unchanged.
  func write(_ value: Value) throws

  /// Changes the stored value exclusively, so that no concurrent change by any process is lost.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace a stored value that cannot be decoded. If
  ///     `true`, `body` then receives ``SharedValue/value``.
  ///   - body: A closure that changes its argument, on this thread. Keep it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or an error if the change could not be made. The stored value is then
  ///   unchanged.
  @discardableResult
  func update<Result>(overwriting: Bool, _ body: (inout Value) throws -> Result) throws -> Result

  /// Changes the stored value exclusively, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace a stored value that cannot be decoded. If
  ///     `true`, `body` then receives ``SharedValue/value``.
  ///   - body: A closure that changes its argument, on a queue of the stored value. It cannot suspend. Keep it short,
  ///     because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, an error if the change could not be made, or `CancellationError` if the
  ///   task was cancelled before the update began. The stored value is then unchanged.
  @discardableResult
  func update<Result: Sendable>(
    overwriting: Bool, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result
}

extension BlockingSharedValue {
  /// Changes the stored value exclusively, without blocking the threads that tasks run on.
  ///
  /// A stored value that cannot be decoded is an error.
  ///
  /// - Parameter body: A closure that changes its argument, on a queue of the stored value. It cannot suspend. Keep it
  ///   short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, an error if the change could not be made, or `CancellationError` if the
  ///   task was cancelled before the update began. The stored value is then unchanged.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await update(overwriting: false, body)
  }
}
