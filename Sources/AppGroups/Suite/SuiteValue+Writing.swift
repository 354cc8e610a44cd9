import FileSignals
import Signals

extension SuiteValue {
  /// Sets the value; the last of several writers wins.
  ///
  /// When this returns, ``value`` is the new value, and other processes can read it. Other values of the suite are
  /// kept.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    try suite.set(value, forKey: key.name)
  }

  /// Sets the value without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began. Then
  ///   nothing has changed.
  public func write(_ value: Value) async throws {
    try await suite.set(value, forKey: key.name)
  }

  /// Changes the value exclusively: no concurrent change by another thread or process is lost.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace a stored value of another type; `body` then receives ``value``. By default
  ///     the stored value is kept, because a newer version of the program may own it. A file that cannot be decoded as
  ///     a whole is never replaced, because it may contain values of other keys.
  ///   - body: Changes its argument, on this thread, and must not change the suite in any other way. Keep it short,
  ///     because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``AppGroupsFileError``; then nothing has changed.
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
  ///   - overwriting: Pass `true` to replace a stored value of another type; `body` then receives ``value``.
  ///   - body: Changes its argument, on the file's own queue. It cannot suspend. Keep it short, because other writers
  ///     wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began. Then nothing has changed.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool = false, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: suite.url) { try self.update(overwriting: overwriting, body) }
  }

  /// Removes the stored value, so that the value is the default again.
  ///
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func reset() throws(AppGroupsFileError) {
    try suite.removeValue(forKey: key.name)
  }

  /// Removes the stored value, so that the value is the default again, without blocking the threads that tasks run on.
  ///
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began. Then
  ///   nothing has changed.
  public func reset() async throws {
    try await suite.removeValue(forKey: key.name)
  }
}
