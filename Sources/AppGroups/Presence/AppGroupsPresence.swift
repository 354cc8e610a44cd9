public import FileSignals
public import Foundation
public import Signals

/// The processes that are present, each with a value that it announces.
///
/// A flag in a shared file stays set forever if the process that set it crashes. An announcement does not: the kernel
/// removes it when its process ends, even if the process is killed, and all observers are notified.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let recording = try AppGroupsPresence<String>(name: "recording", container: container)
/// print(recording.value.map(\.value))  // Prints "[]"
///
/// let token = try recording.announce("microphone")
/// print(recording.value.map(\.value))  // Prints "["microphone"]"
/// try token.write("camera")
/// print(recording.value.map(\.value))  // Prints "["camera"]"
/// token.withdraw()
/// print(recording.isAnyonePresent.value)  // Prints "false"
///
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Lifetime.** A process is present from its announcement until it withdraws or releases the token, or ends. A
///   stopped process is still present, and one that is suspended by its container is ``PresentProcess/isSuspended``.
///   One process may announce several values.
/// - **Crashes.** Each announcement is a file that its process keeps open and locked. The kernel closes and unlocks the
///   file when the process ends, so nothing depends on process identifiers or clocks. The next process that looks
///   removes the files of dead processes.
/// - **Observing** needs no polling, except that suspended processes are checked once per second. A change is sent
///   within a fraction of a millisecond, and the end of a process when the system has cleaned up after it. On Apple's
///   systems kqueue reports the end, and needs the permission to observe the other process.
/// - **Files.** If the files of a presence are removed by hand, their processes are invisible until they update their
///   values.
/// - **Threads.** All methods may be called from any thread, and from inside a subscriber. Subscribers are never called
///   concurrently, and never with a lock held.
///
/// The directory must be on a local file system, because file locks do not reach across machines.
public final class AppGroupsPresence<Value: Codable & Sendable>: Signal, PropertyConvertible {
  /// All present processes, in the order of their announcements.
  public typealias Element = [PresentProcess<Value>]

  /// A presence never fails; ``failures`` reports errors.
  public typealias Failure = Never

  /// The present processes as an observable property.
  public let property: Property<[PresentProcess<Value>]>

  /// A Boolean value that indicates whether any process is present, even one whose value cannot be decoded here.
  public let isAnyonePresent: Property<Bool>

  /// The state of the observation of changes by other processes.
  ///
  /// A subscription to it does not keep the presence observed.
  public let health: Property<WatchHealth>

  private let engine: PresenceEngine<Value>

  /// Opens a presence of a container, and creates its directory if it is missing.
  ///
  /// - Parameters:
  ///   - name: The name, such as `recording`: at most 200 bytes, without a slash or a leading dot. Files of the
  ///     container may have the same name.
  ///   - container: The container.
  ///   - coding: The encoding of values, the same in all processes.
  /// - Throws: ``AppGroupsFileError`` if the name is invalid, or if the directory cannot be created, read or observed.
  public init(
    name: String, container: AppGroupsContainer, coding: FileCoding = .json
  ) throws(AppGroupsFileError) {
    engine = try PresenceEngine(PresenceDirectory(name: name, container: container), coding: coding)
    property = Property(engine.present, keeping: engine)
    isAnyonePresent = Property(engine.isAnyonePresent, keeping: engine)
    health = engine.health
  }

  /// All present processes that this process knows of.
  ///
  /// A read takes a few nanoseconds. The list follows other processes within a fraction of a millisecond, or later on a
  /// busy machine, and is not ordered with other shared values. Before you act on an absence, call
  /// ``isPresent(_:)`` or ``read()``.
  public var value: [PresentProcess<Value>] { engine.present.value }

  /// Reads the announcements and their locks.
  ///
  /// Use it before you act on the list, such as before you return the work of absent processes to a queue. The result
  /// contains every announcement that returned before this call, also one that ``value`` does not show yet, and none of
  /// a process that has ended. It takes a few system calls for each announcement.
  ///
  /// - Returns: All present processes, in the order of their announcements.
  /// - Throws: ``AppGroupsFileError`` if the directory or an announcement cannot be read or decoded. An incomplete list
  ///   is never returned.
  public func read() throws(AppGroupsFileError) -> [PresentProcess<Value>] {
    try engine.read()
  }

  /// Looks at the lock of one announcement, and returns whether its process is present.
  ///
  /// A row or an event that names an announcement may arrive before ``value`` contains the announcement. This method
  /// finds it. After it has returned `false` for an announcement, the announcement never comes back. A value that cannot
  /// be decoded does not matter.
  ///
  /// - Parameter id: The identifier of the announcement, from ``PresenceToken/id`` or ``PresentProcess/id``.
  /// - Returns: `true` if the process is present, also while it is stopped or suspended.
  /// - Throws: ``AppGroupsFileError`` if the announcement exists and cannot be examined.
  public func isPresent(_ id: PresentProcess<Value>.ID) throws(AppGroupsFileError) -> Bool {
    try engine.isPresent(id)
  }

  /// The errors that keep ``value`` from being complete, such as a value that cannot be decoded.
  ///
  /// A later subscriber receives the last few errors.
  public var failures: some Signal<AppGroupsFileError, Never> {
    KeptSignal(upstream: engine.failures, owner: engine)
  }

  /// Makes this process present, until the token is withdrawn or released, or the process ends.
  ///
  /// When this returns, ``value`` contains the announcement, and other processes are about to be notified.
  ///
  /// - Parameter value: The value to announce.
  /// - Returns: The token. Keep it.
  /// - Throws: ``AppGroupsFileError`` if the value cannot be encoded or stored; then nothing is announced.
  public func announce(_ value: Value) throws(AppGroupsFileError) -> PresenceToken<Value> {
    try PresenceToken(value, in: engine)
  }
}

/// A present process and the value that it announces.
public struct PresentProcess<Value: Sendable>: Sendable, Identifiable {
  /// The unique identifier of the announcement.
  public let id: UUID

  /// The process identifier, for people and logs.
  ///
  /// It may belong to another process by the time it is read. In another container, it is a number in the table of
  /// processes of that container.
  public let processIdentifier: Int32

  /// The name of the process.
  public let processName: String

  /// The time when the process became present, according to its own clock.
  public let since: Date

  /// The announced value.
  public let value: Value

  /// A Boolean value that indicates whether the process has suspended its work in the container.
  ///
  /// It holds no lock there, and continues after it calls `resume()` of its ``AppGroupsContainer``.
  public let isSuspended: Bool

  /// A Boolean value that indicates whether this is the current process.
  public let isThisProcess: Bool
}

extension PresentProcess: Equatable where Value: Equatable {}

extension PresentProcess: Hashable where Value: Hashable {}
