import FileSignals
import Signals

extension AppGroupsFile {
  /// Replaces the value; the last of several writers wins.
  ///
  /// When this returns, ``value`` is the new value, the file contains it, and subscribers have received it once. If
  /// another thread was calling subscribers, that thread delivers the new value. A value that encodes to the bytes in
  /// the file is not sent, and the file is not touched. A missing file is created again, and content that cannot be
  /// decoded is replaced.
  ///
  /// This method waits for the lock of the file, which other processes hold during their updates. Tasks must therefore
  /// use the asynchronous form. Inside the body of an update of the same file, this method throws
  /// ``AppGroupsFileError/nestedUpdate(_:)``.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``; then the value and the file are unchanged.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    try engine.write(value)
  }

  /// Replaces the value without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began. Then
  ///   the value and the file are unchanged.
  public func write(_ value: Value) async throws {
    try await BlockingCalls.run(for: url) { [engine] in try engine.write(value) }
  }

  /// Changes the value exclusively: no concurrent change by another thread or process is lost.
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
  /// The lock of the file is held, between threads and processes, while the content is read, `body` runs, and the
  /// result is written. If the process dies in between, the system releases the lock, and the file is unchanged. If the
  /// file is missing, `body` receives ``value``, and the file is created again.
  ///
  /// If the directory of the file is replaced during the update, the change is in the old directory, and ``value`` is
  /// the content of the file in the new one.
  ///
  /// `body` must not write or update the same file, which throws ``AppGroupsFileError/nestedUpdate(_:)``. It should not
  /// update another file: two processes that do so in opposite order deadlock. Nor should it open a file in a
  /// ``Scope``: opening waits for a switch in progress, which may wait for this update.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace content that cannot be decoded; `body` then receives ``value``. By default
  ///     the content is kept, because a newer version of the program may own it.
  ///   - body: Changes its argument, on this thread. Read only the argument: the object's ``value`` may be older. Keep
  ///     it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``AppGroupsFileError``; then the value and the file are unchanged. If the
  ///   content is empty or undecodable, the update waits up to a third of a second for better content before it throws.
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
  /// The closure runs on the file's own queue and cannot suspend. If it could, the threads that wait for the lock might
  /// leave no thread for the task that holds it.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace content that cannot be decoded; `body` then receives ``value``.
  ///   - body: Changes its argument. Keep it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began. Then the value and the file are unchanged.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool = false, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { [engine] in try engine.update(overwriting: overwriting, body).get() }
  }
}
