public import FileSignals
import Foundation
import Signals

/// Suspension of this process in the container.
///
/// A process must hold no lock while the system has suspended it: others would wait for it, and iOS ends a process that
/// holds a lock in a group's container. See <doc:/Docs/Suspension>.
extension AppGroupsContainer {
  /// Ends all work of this process in the container, and releases every lock that it holds there.
  ///
  /// The call reaches every object of the process whose files are in ``containerURL``, whatever opened it: files,
  /// suites, logs and their consumers, presence, databases, environments, sessions and tweaks.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let visits = try AppGroupsFile(name: "visits.json", initialValue: 0, container: container)
  /// try container.suspend()
  /// do {
  ///   try visits.update { $0 += 1 }
  /// } catch AppGroupsFileError.suspended(_, let operation) {
  ///   print("suspended: cannot \(operation)")  // Prints "suspended: cannot write"
  /// }
  /// try container.resume()
  /// try visits.update { $0 += 1 }
  /// print(visits.value)  // Prints "1"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// - **Work under way** ends first: updates, transactions, appends, and calls of the subscribers of a log.
  /// - **New work** that needs a lock throws the error `suspended` of its module, and changes nothing. Values can still
  ///   be read, and subscribers stay attached.
  /// - **Other processes** continue. They see announcements of this process as suspended, and one of them can become
  ///   the consumer of a log.
  /// - **Repetition:** A second call waits for work that is still under way. One call of `resume()` ends the
  ///   suspension, however often this method was called.
  ///
  /// - Parameter limit: The longest time to wait for work under way.
  /// - Throws: ``/FileSignals/SuspensionError/stillBusy(_:files:after:)`` if work has not ended in time. New work is
  ///   refused all the same, and the locks are released as soon as the work ends.
  ///   ``/FileSignals/SuspensionError/nested(_:)`` inside an update or a transaction; then nothing has changed.
  public func suspend(within limit: Duration = .seconds(5)) throws(SuspensionError) {
    try Suspensions.shared.suspend(containerURL, within: limit)
  }

  /// Ends all work of this process in the container, and releases every lock that it holds there, without blocking the
  /// threads that tasks run on.
  ///
  /// - Parameter limit: The longest time to wait for work under way.
  /// - Throws: The errors of the blocking form, or `CancellationError` if the task was cancelled before the call began.
  public func suspend(within limit: Duration = .seconds(5)) async throws {
    try await BlockingCalls.run(for: containerURL) { [self] in
      try Suspensions.shared.suspend(containerURL, within: limit)
    }
  }

  /// Allows work of this process in the container again, and catches up with the changes of other processes.
  ///
  /// - **Files and suites** are read again, and send their value if it has changed.
  /// - **Logs:** A consumer continues with the first event that it has not handled. If another process has become the
  ///   consumer, it waits, and reports ``AppGroupsLogError/consumerInUse(_:holder:)``.
  /// - **Presence:** Announcements are no longer suspended.
  /// - **Databases** are opened again, and live queries are read again.
  /// - **Environments and sessions** follow the switches and renewals of other processes.
  ///
  /// - Parameter limit: The longest time to wait until all objects have continued. Slower objects continue
  ///   afterwards.
  /// - Throws: ``/FileSignals/SuspensionError/notResumed(_:reasons:)`` if some objects cannot continue, for example
  ///   because another process has taken the author's name of a shared database. All others continue. Call the method
  ///   again after the cause is removed.
  public func resume(within limit: Duration = .seconds(5)) throws(SuspensionError) {
    try Suspensions.shared.resume(containerURL, within: limit)
  }

  /// Allows work of this process in the container again, without blocking the threads that tasks run on.
  ///
  /// - Parameter limit: The longest time to wait until all objects have continued.
  /// - Throws: The errors of the blocking form, or `CancellationError` if the task was cancelled before the call began.
  public func resume(within limit: Duration = .seconds(5)) async throws {
    try await BlockingCalls.run(for: containerURL) { [self] in
      try Suspensions.shared.resume(containerURL, within: limit)
    }
  }

  /// A Boolean value that indicates whether this process is suspended in the container.
  public var isSuspended: Bool { Suspensions.shared.isSuspended(containerURL) }

  /// The longest time that this process waits for a lock of another process in the container; `nil` by default, which
  /// sets no limit.
  ///
  /// A process that is stopped inside an operation, by a debugger or by `SIGSTOP`, keeps its locks. With a limit, an
  /// operation of this process then throws an error such as ``AppGroupsFileError/inaccessible(_:)``, which contains
  /// ``/FileSignals/DurableFileError/lockTimeout(_:after:holder:)`` and so names the other process. Databases have
  /// their own limit, the `busyTimeout`.
  ///
  /// A consumer of a log waits for another process of its name without blocking a thread. It reports
  /// ``AppGroupsLogError/consumerInUse(_:holder:)`` after the limit, or half a second without one, and continues to wait.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// container.lockTimeout = .seconds(2)
  /// print(container.lockTimeout == .seconds(2))  // Prints "true"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// An operation that must start again because other processes keep changing its path ends after the same time, or
  /// after ten seconds without a limit. Examples are a read while others switch environments, and a copy of a file that
  /// others rewrite.
  ///
  /// The limit applies to all objects of this process whose files are in the container. While it is set, a wait for a
  /// busy lock may take some milliseconds longer.
  public var lockTimeout: Duration? {
    get { DirectoryRules.shared.rule(of: containerURL.path).limit }
    nonmutating set { DirectoryRules.shared.setLimit(newValue, of: containerURL.path) }
  }
}
