import FileSignals
import Signals

extension SuiteValue {
  /// Sets the value, whatever it was; the last of several writers wins.
  ///
  /// When this returns, ``value`` is the new one, and other processes read it. Other values of the suite are left as
  /// they are.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``; nothing has changed then.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    try suite.set(value, for: key)
  }

  /// Sets the value without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began; nothing
  ///   has changed then.
  public func write(_ value: Value) async throws {
    try await suite.set(value, for: key)
  }

  /// Changes the value exclusively: no change that another thread or process makes at the same time is lost.
  ///
  /// - Parameters:
  ///   - overwriting: Whether a stored value that is none of the type is to be replaced; `body` then gets ``value``. By
  ///     default it is kept, because a newer version of the program may own it. A file that cannot be decoded as a
  ///     whole is never replaced, because it may hold values of other keys.
  ///   - body: Changes its argument, on this thread, and must not change the suite by any other way. Keep it short:
  ///     others wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or ``AppGroupsFileError``; nothing has changed then.
  @discardableResult
  public func update<Result>(
    overwriting: Bool = false, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try suite.update { contents in
      var value = try stored(in: contents, orLastGood: overwriting)
      let result = try body(&value)
      try contents.set(value, for: key)
      return result
    }
  }

  /// Changes the value exclusively, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: Whether a stored value that is none of the type is to be replaced; `body` then gets ``value``.
  ///   - body: Changes its argument, on a queue of the file's own; it cannot suspend. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began; nothing has changed then.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: suite.url) { try self.update(overwriting: overwriting, body) }
  }

  /// Changes the value exclusively, without blocking the threads that tasks run on.
  ///
  /// A stored value that is none of the type is an error.
  ///
  /// - Parameter body: Changes its argument, on a queue of the file's own; it cannot suspend. Keep it short: others
  ///   wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began; nothing has changed then.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await update(overwriting: false, body)
  }

  /// Removes the stored value, so that the value is the default again.
  ///
  /// - Throws: ``AppGroupsFileError``; nothing has changed then.
  public func reset() throws(AppGroupsFileError) {
    try suite.removeValue(for: key)
  }

  /// Removes the stored value, so that the value is the default again, without blocking the threads that tasks run on.
  ///
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began;
  ///   nothing has changed then.
  public func reset() async throws {
    try await suite.removeValue(for: key)
  }
}
