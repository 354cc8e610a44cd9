import FileSignals

extension AppGroupsSuite {
  /// Sets the value of a key without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` removes it.
  ///   - key: The value's name; any string will do.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began;
  ///   nothing has changed then.
  public func set<Item: Codable & Sendable>(_ value: Item?, forKey key: String) async throws {
    try await BlockingCalls.run(for: url) { try self.set(value, forKey: key) }
  }

  /// Sets the value of a typed key without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began;
  ///   nothing has changed then.
  public func set<Item>(_ value: Item, for key: SuiteKey<Item>) async throws {
    try await BlockingCalls.run(for: url) { try self.set(value, for: key) }
  }

  /// Removes the value of a key without blocking the threads that tasks run on.
  ///
  /// - Parameter key: The value's name.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began;
  ///   nothing has changed then.
  public func removeValue(forKey key: String) async throws {
    try await BlockingCalls.run(for: url) { try self.removeValue(forKey: key) }
  }

  /// Removes the value of a typed key without blocking the threads that tasks run on.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began;
  ///   nothing has changed then.
  public func removeValue<Item>(for key: SuiteKey<Item>) async throws {
    try await BlockingCalls.run(for: url) { try self.removeValue(for: key) }
  }

  /// Removes all values without blocking the threads that tasks run on.
  ///
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began;
  ///   nothing has changed then.
  public func removeAll() async throws {
    try await BlockingCalls.run(for: url) { try self.removeAll() }
  }

  /// Replaces all values without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter contents: The values that there are to be.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began; nothing
  ///   has changed then.
  public func write(_ contents: SuiteContents) async throws {
    try await BlockingCalls.run(for: url) { try self.write(contents) }
  }

  /// Changes any number of values in one exclusive step, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: Whether a file that cannot be decoded is to be replaced; `body` then gets ``value``.
  ///   - body: Changes its argument, on a queue of the file's own; it cannot suspend. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began; nothing has changed then.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool, _ body: @escaping @Sendable (inout SuiteContents) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try self.update(overwriting: overwriting, body) }
  }

  /// Changes any number of values in one exclusive step, without blocking the threads that tasks run on.
  ///
  /// A file that cannot be decoded is an error.
  ///
  /// - Parameter body: Changes its argument, on a queue of the file's own; it cannot suspend. Keep it short: others
  ///   wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began; nothing has changed then.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout SuiteContents) throws -> Result
  ) async throws -> Result {
    try await update(overwriting: false, body)
  }
}
