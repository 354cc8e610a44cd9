import FileSignals

extension AppGroupsSuite {
  /// Sets the value of a key without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` removes it.
  ///   - key: The name of the value; any string is allowed.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began. Then
  ///   nothing has changed.
  public func set<Item: Codable & Sendable>(_ value: Item?, forKey key: String) async throws {
    try await BlockingCalls.run(for: url) { try self.set(value, forKey: key) }
  }

  /// Removes the value of a key without blocking the threads that tasks run on.
  ///
  /// - Parameter key: The name of the value.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began. Then
  ///   nothing has changed.
  public func removeValue(forKey key: String) async throws {
    try await BlockingCalls.run(for: url) { try self.removeValue(forKey: key) }
  }

  /// Removes all values without blocking the threads that tasks run on.
  ///
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began. Then
  ///   nothing has changed.
  public func removeAll() async throws {
    try await BlockingCalls.run(for: url) { try self.removeAll() }
  }

  /// Replaces all values without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter contents: The new values.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began. Then
  ///   nothing has changed.
  public func write(_ contents: SuiteContents) async throws {
    try await BlockingCalls.run(for: url) { try self.write(contents) }
  }

  /// Brings the JSON file up to date now, without blocking the threads that tasks run on.
  ///
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled first. Then the changes stay in
  ///   the journal.
  public func synchronize() async throws {
    try await BlockingCalls.run(for: url) { try self.synchronize() }
  }

  /// Changes any number of values in one exclusive step, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace a file that cannot be decoded; `body` then receives ``value``.
  ///   - body: Changes its argument, on the file's own queue. It cannot suspend. Keep it short, because other writers
  ///     wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began. Then nothing has changed.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool = false, _ body: @escaping @Sendable (inout SuiteContents) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try self.update(overwriting: overwriting, body) }
  }
}
