public import FileSignals
import Foundation
import Signals

/// The container of values that are opened by their name alone.
///
/// An app sets it once, when it starts:
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// try AppGroupsContainer.setStandard(AppGroupsContainer(directory: directory))
/// let volume = try AppGroupsFile(name: "volume.json", initialValue: 5)
/// try volume.update { $0 += 1 }
/// print(volume.value)  // Prints "6"
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// A test opens the same values in a container of its own, with `withStandard(_:_:)`.
extension AppGroupsContainer {
  /// The container of the process.
  private static let process = Guarded<AppGroupsContainer?>(nil)

  /// The container of the current task, which takes the place of the one of the process.
  private static let task = TaskLocal<AppGroupsContainer?>(wrappedValue: nil)

  /// The container in which values are opened by their name alone.
  ///
  /// It is the one that the app has set or, in the closure of `withStandard(_:_:)`, the one given there. A value keeps
  /// the container in which it was opened.
  ///
  /// - Throws: ``AppGroupsError/noStandard`` if there is none.
  public static var standard: AppGroupsContainer {
    get throws(AppGroupsError) {
      guard let container = task.get() ?? process.withLock({ $0 }) else { throw .noStandard }
      return container
    }
  }

  /// Sets the container in which values are opened by their name alone, for the life of the process.
  ///
  /// Call it when the app starts, before any such value is opened.
  ///
  /// - Parameter container: The container. Setting the same one again does nothing.
  /// - Throws: ``AppGroupsError/standardIsSet(_:current:)`` if another container is set, which stays.
  public static func setStandard(_ container: AppGroupsContainer) throws(AppGroupsError) {
    let current = process.withLock { current in
      if let current { return current }
      current = container
      return container
    }
    if current != container { throw .standardIsSet(container, current: current) }
  }

  /// Runs a closure in which another container is the standard one, such as a test with a directory of its own.
  ///
  /// It is the standard one on this thread and in the tasks that the closure creates, except detached ones. Work on
  /// another dispatch queue or thread has the container of the process.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - body: The closure.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public static func withStandard<Result>(
    _ container: AppGroupsContainer, _ body: () throws -> Result
  ) rethrows -> Result {
    try task.withValue(container, operation: body)
  }

  /// Runs an asynchronous closure in which another container is the standard one.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - body: The closure.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public static func withStandard<Result>(
    _ container: AppGroupsContainer, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await task.withValue(container) { try await body() }
  }
}

extension AppGroupsFile {
  /// Opens a file of the standard container, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - name: The name of the file, as in ``init(name:initialValue:container:format:options:)``.
  ///   - initialValue: The value if there is no content yet.
  ///   - format: The encoding of the value.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError/unusableContainer(_:)`` if there is no ``AppGroupsContainer/standard`` container, or
  ///   the errors of the form with a container.
  public convenience init(
    name: String, initialValue: Value, format: FileFormat<Value> = .json, options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    let container = try translating(AppGroupsContainer.standard, by: AppGroupsFileError.unusableContainer)
    try self.init(name: name, initialValue: initialValue, container: container, format: format, options: options)
  }
}

extension AppGroupsSuite {
  /// Opens a suite of the standard container, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - name: The name of the file, as in ``init(name:container:seal:options:)``.
  ///   - seal: The keys and the cipher, if the suite is encrypted.
  ///   - options: Choices that most apps leave as they are.
  /// - Throws: ``AppGroupsFileError/unusableContainer(_:)`` if there is no ``AppGroupsContainer/standard`` container, or
  ///   the errors of the form with a container.
  public convenience init(
    name: String, seal: FileSeal? = nil, options: SharedFileOptions = .init()
  ) throws(AppGroupsFileError) {
    let container = try translating(AppGroupsContainer.standard, by: AppGroupsFileError.unusableContainer)
    try self.init(name: name, container: container, seal: seal, options: options)
  }
}

extension AppGroupsLog {
  /// Opens a log of the standard container, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - name: The log's name, as in ``init(name:container:format:durability:limits:)``.
  ///   - format: The encoding of events; compact JSON by default.
  ///   - durability: The failures that an appended event survives.
  ///   - limits: The maximum size of the log, and the time that it waits for consumers.
  /// - Throws: ``AppGroupsLogError/unusableContainer(_:)`` if there is no ``AppGroupsContainer/standard`` container, or
  ///   the errors of the form with a container.
  public convenience init(
    name: String, format: FileFormat<Event>? = nil, durability: Durability = .process, limits: LogLimits = LogLimits()
  ) throws(AppGroupsLogError) {
    let container = try translating(AppGroupsContainer.standard, by: AppGroupsLogError.unusableContainer)
    try self.init(name: name, container: container, format: format, durability: durability, limits: limits)
  }
}

extension AppGroupsPresence {
  /// Opens a presence of the standard container, and creates its directory if it is missing.
  ///
  /// - Parameters:
  ///   - name: The name, as in ``init(name:container:coding:)``.
  ///   - coding: The encoding of values, the same in all processes.
  /// - Throws: ``AppGroupsFileError/unusableContainer(_:)`` if there is no ``AppGroupsContainer/standard`` container, or
  ///   the errors of the form with a container.
  public convenience init(name: String, coding: FileCoding = .json) throws(AppGroupsFileError) {
    let container = try translating(AppGroupsContainer.standard, by: AppGroupsFileError.unusableContainer)
    try self.init(name: name, container: container, coding: coding)
  }
}
