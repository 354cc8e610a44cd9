import FileSignals
import Signals

extension AppGroupsFile {
  /// Replaces the value; the last of several writers wins.
  ///
  /// When this returns, ``value`` is the new one, the file holds it, and subscribers have been called once, unless
  /// another thread is calling them, which then goes on to the new value. A value that is written down with the same
  /// bytes is no news and touches no file. A missing file is made again, and content that cannot be decoded is
  /// replaced.
  ///
  /// It waits for the file's lock, which others hold for as long as their updates take; hence the asynchronous form for
  /// tasks. Called from inside the body of an update of the same file, it throws
  /// ``AppGroupsFileError/nestedUpdate(_:)``.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``; value and file are then what they were.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    try engine.write(value)
  }

  /// Replaces the value without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began; value
  ///   and file are then what they were.
  public func write(_ value: Value) async throws {
    try await BlockingCalls.run(for: url) { [engine] in try engine.write(value) }
  }

  /// Changes the value exclusively: no change that another thread or process makes at the same time is lost.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let basket = try AppGroupsFile(name: "basket.json", initialValue: ["tea"], container: container)
  /// let count = try basket.update { items in
  ///   items.append("bread")
  ///   return items.count
  /// }
  /// print(count, basket.value)  // Prints "2 ["tea", "bread"]"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// The lock of the file is held, between threads and between processes, while the content is read, `body` runs, and
  /// the result takes the content's place. If a process dies in between, the system releases the lock and the file is
  /// as it was. If the file is missing, `body` gets ``value``, and the file is made again.
  ///
  /// If the file's directory is replaced meanwhile, the change has gone into the old one, and ``value`` is what the new
  /// one holds.
  ///
  /// `body` must not write or update the same file, which throws ``AppGroupsFileError/nestedUpdate(_:)``, and should
  /// not update another: two processes that do so in opposite order wait for each other for ever. Nor should it open
  /// another that lies in a ``Scope``: that waits for a swap under way, which may wait for this update.
  ///
  /// - Parameters:
  ///   - overwriting: Whether content that cannot be decoded is to be replaced; `body` then gets ``value``. By default
  ///     it is kept, because a newer version of the program may own it.
  ///   - body: Changes its argument, on this thread. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or ``AppGroupsFileError``; value and file are then what they were. Content that is
  ///   empty or undecodable is waited for, up to a third of a second, before it is an error.
  @discardableResult
  public func update<Result>(
    overwriting: Bool = false, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try engine.update(overwriting: overwriting, body).get()
  }

  /// Changes the value exclusively by a closure that cannot fail.
  package func change<Result>(
    overwriting: Bool = false, _ body: (inout Value) -> Result
  ) throws(AppGroupsFileError) -> Result {
    try engine.update(overwriting: overwriting, body).get()
  }

  /// Changes the value exclusively, without blocking the threads that tasks run on.
  ///
  /// The closure runs on a queue of the file's own and cannot suspend, since a lock held across an `await` could keep
  /// every thread waiting for a task that has none to run on.
  ///
  /// - Parameters:
  ///   - overwriting: Whether content that cannot be decoded is to be replaced; `body` then gets ``value``.
  ///   - body: Changes its argument. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began; value and file are then what they were.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { [engine] in try engine.update(overwriting: overwriting, body).get() }
  }

  /// Changes the value exclusively, without blocking the threads that tasks run on.
  ///
  /// Content that cannot be decoded is an error.
  ///
  /// - Parameter body: Changes its argument, on a queue of the file's own. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began; value and file are then what they were.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await update(overwriting: false, body)
  }
}
