import FileSignals
import Signals

extension AppGroupsSuite {
  /// Sets the value of a key, and keeps all other values.
  ///
  /// When this returns, the value is on disk, and other processes can read it. A value with the same JSON text is not
  /// sent, and no file is touched. This method waits while other threads and processes change the suite, so
  /// tasks must use the asynchronous form.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` removes it.
  ///   - key: The name of the value; any string is allowed.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func set<Item: Codable & Sendable>(_ value: Item?, forKey key: String) throws(AppGroupsFileError) {
    guard let value else { return try removeValue(forKey: key) }
    let entry = try SuiteEntry.encoding(value, key: key, url: url)
    try change(ExactString(key)) { _ in entry }.get()
  }

  /// Removes the value of a key, if there is one.
  ///
  /// - Parameter key: The name of the value.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func removeValue(forKey key: String) throws(AppGroupsFileError) {
    try change(ExactString(key)) { _ in nil }.get()
  }

  /// Removes all values, including values of unknown keys and content that cannot be decoded.
  ///
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func removeAll() throws(AppGroupsFileError) {
    try write(SuiteContents(url: url, isSealed: format.isSealed))
  }

  /// Changes any number of values in one exclusive step: no concurrent change is lost, and no reader sees a part of it.
  ///
  /// The lock of the file is held, between threads and processes, while the contents are read, `body` runs, and the
  /// result is written. If `body` throws, or the process dies, the suite is unchanged.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let suite = try AppGroupsSuite(name: "state.json", container: AppGroupsContainer(directory: directory))
  /// let launches = try suite.update { contents in
  ///   let count = (try contents.value(forKey: "launches", as: Int.self) ?? 0) + 1
  ///   try contents.set(count, forKey: "launches")
  ///   try contents.set("1.2", forKey: "version")
  ///   return count
  /// }
  /// print(launches, suite.value.keys)  // Prints "1 ["launches", "version"]"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// `body` must not change the same suite in any other way, which throws ``AppGroupsFileError/nestedUpdate(_:)``. It
  /// should not change another suite: two processes that do so in opposite order deadlock.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace a file that cannot be decoded; `body` then receives ``value``. By default
  ///     the file is kept, because a newer version of the program may own it.
  ///   - body: Changes its argument, on this thread. Read only the argument: the object's ``value`` may be older. Keep
  ///     it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``AppGroupsFileError``; then nothing has changed.
  @discardableResult
  public func update<Result>(
    overwriting: Bool = false, _ body: (inout SuiteContents) throws -> Result
  ) throws -> Result {
    var result: Result?
    // Without the type of the result, so that the steps of an update are compiled for suites.
    try change(overwriting: overwriting) { contents in result = try body(&contents) }.get()
    guard let result else { stop(because: "an update ended without calling its closure") }
    return result
  }

  /// Replaces all values; the last of several writers wins.
  ///
  /// - Parameter contents: The new values.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func write(_ contents: SuiteContents) throws(AppGroupsFileError) {
    // Not through the engine's `write`: the contents may be older than others that have been read since.
    try change(overwriting: true) { $0 = contents }.get()
  }

  /// Brings the JSON file up to date now, with all changes that are in the journal beside it.
  ///
  /// That also happens on its own, a fraction of a second after the last change. Call this method before a program reads
  /// the file that does not use this package, and at the end of a tool that runs once.
  ///
  /// - Throws: ``AppGroupsFileError``; then the changes stay in the journal.
  public func synchronize() throws(AppGroupsFileError) {
    try engine.settle()
  }

  /// Changes one value exclusively.
  ///
  /// - Parameters:
  ///   - name: The name of the value.
  ///   - makeEntry: Returns the new value, for the contents before the change; called once.
  /// - Returns: The result of the closure. If it threw, nothing has changed.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  func change<Failure>(
    _ name: ExactString, to makeEntry: (SuiteContents) throws(Failure) -> SuiteEntry?
  ) throws(AppGroupsFileError) -> Result<Void, Failure> {
    var made: Result<SuiteEntry?, Failure>?
    return try engine.update(
      overwriting: false,
      appending: { stored, file, delivery throws(AppGroupsFileError) in
        let result = Result { () throws(Failure) in try makeEntry(stored.value) }
        made = result
        guard case .success(let entry) = result else { return nil }
        return try append((name, entry), to: stored, in: file, &delivery) ? () : nil
      },
      { contents throws(Failure) in
        let entry = try (made ?? Result { () throws(Failure) in try makeEntry(contents) }).get()
        contents[name] = entry
        format.renew(&contents)
      })
  }

  /// Appends a change of one value to the journal, without the steps that only other changes need.
  ///
  /// - Returns: `false` if there is more to do, or nothing.
  private func append(
    _ change: SuiteOverlay.Change, to stored: SharedFileEngine<SuiteContents>.Stored, in file: ExclusiveFile,
    _ delivery: inout SharedFileDelivery<SuiteContents>
  ) throws(AppGroupsFileError) -> Bool {
    var contents = stored.value
    guard !format.isSealed, contents.change(change.name, to: change.entry, in: format.place),
      contents.size <= engine.maximumSize
    else { return false }
    let size = SuiteOverlay.recordSize(of: change)
    do throws(DurableFileError) {
      return try engine.append(size, to: stored, making: contents, in: file, &delivery) {
        SuiteOverlay.write(change, to: $0)
      }
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Changes the contents exclusively.
  func change<Failure>(
    overwriting: Bool = false, _ body: (inout SuiteContents) throws(Failure) -> Void
  ) throws(AppGroupsFileError) -> Result<Void, Failure> {
    try engine.update(overwriting: overwriting) { contents throws(Failure) in
      try body(&contents)
      format.renew(&contents)
    }
  }
}

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
