public import FileSignals
public import Signals

/// Who is there: values that processes announce, each of them tied to its process and gone when that ends, however it
/// ends.
///
/// A flag in a shared file stays up for ever if the process that raised it crashes. An announcement does not: the
/// system takes it away together with the process, also if that is killed, and everybody who observes the presence is
/// told.
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
/// - **Present** is whoever has announced a value and neither withdrawn it, nor let go of the token, nor ended. A
///   process that is suspended or stopped is still there. One process may announce several values.
/// - **Nothing depends on process numbers**, which are used again, on clocks, or on anybody's diligence: each
///   announcement is a file of its own that its process holds open and locked, and the kernel releases both. What the
///   dead leave behind is removed by whoever notices first.
/// - **Observing** takes no polling: a change is sent within a fraction of a millisecond, the end of a process as soon
///   as the system has cleaned up after it. On Apple's systems the end is seen through kqueue, which must be allowed to
///   observe the other process.
/// - **It lasts as long as the file.** Whoever removes the files of a presence by hand hides those who are there until
///   they update their values.
/// - **Threads.** Everything may be called from any thread, also from inside a subscriber. Subscribers are never called
///   concurrently, and never with a lock held.
///
/// The directory must lie on a local file system: locks of files do not reach across machines.
public final class AppGroupsPresence<Value: Codable & Sendable>: Signal {
  /// Everyone who is present, those who came first in front.
  public typealias Element = [PresentProcess<Value>]

  /// A presence does not end; what is wrong with it is told by ``failures``.
  public typealias Failure = Never

  /// Who is present, as an observable property, which reads and sends what this object does.
  public let property: Property<[PresentProcess<Value>]>

  /// Whether anybody is present at all, also somebody whose value cannot be decoded here.
  public let isAnyonePresent: Property<Bool>

  /// Whether changes that others make are seen as they happen.
  ///
  /// Observing it does not keep the presence watched.
  public let health: Property<WatchHealth>

  private let engine: PresenceEngine<Value>

  /// Opens a presence of a container, and makes its directory if need be.
  ///
  /// - Parameters:
  ///   - name: What it is called, such as `recording`: at most 200 bytes, without a slash or a leading dot. It shares
  ///     no names with the container's files.
  ///   - container: Where it lies.
  ///   - coding: How values are written down, the same in all processes.
  /// - Throws: ``AppGroupsFileError`` if the name is none, or if the directory cannot be made, read or watched.
  public init(
    name: String, container: AppGroupsContainer, coding: FileCoding = .json
  ) throws(AppGroupsFileError) {
    engine = try PresenceEngine(PresenceDirectory(name: name, container: container), coding: coding)
    property = Property(engine.present, keeping: engine)
    isAnyonePresent = Property(engine.isAnyonePresent, keeping: engine)
    health = engine.health
  }

  /// Everyone who is present, as far as this process knows; reading it takes a few nanoseconds.
  public var value: [PresentProcess<Value>] { engine.present.value }

  /// What keeps the presence from being seen as it is, each time something does, such as a value that cannot be
  /// decoded.
  ///
  /// The last few are repeated for those who subscribe later.
  public var failures: some Signal<AppGroupsFileError, Never> {
    KeptSignal(upstream: engine.failures, owner: engine)
  }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives who is present before this returns, and then every change.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the presence watched.
  public func subscribe<Subscriber: SignalSubscriber<Element, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    property.subscribe(subscriber)
  }

  /// Makes this process present, until the token is withdrawn or released, or the process ends.
  ///
  /// When this returns, ``value`` contains the announcement, and other processes are about to hear of it.
  ///
  /// - Parameter value: What to say about it.
  /// - Returns: The token. Keep it.
  /// - Throws: ``AppGroupsFileError`` if the value cannot be encoded or stored; nobody has heard of it then.
  public func announce(_ value: Value) throws(AppGroupsFileError) -> PresenceToken<Value> {
    try PresenceToken(value, in: engine)
  }
}
