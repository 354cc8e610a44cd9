import Dispatch
import FileSignals
public import Foundation
public import Signals

/// A live view of everything in the directory of a group: shared values, suites, logs, presence, databases,
/// environments, sessions, tweaks, locks, and the processes that use them.
///
/// ```swift
/// import AppGroups
/// import Foundation
/// import Inspector
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let volume = try AppGroupsFile(name: "volume.json", initialValue: 5, container: container)
///
/// let inspector = try Inspector(directory: directory)
/// for resource in inspector.value.resources(.file) {
///   print(resource.name, resource.value ?? "hidden")  // Prints "volume.json 5"
/// }
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Read-only:** The inspector opens files only for reading, acquires no lock and creates nothing in the directory,
///   unless you call ``perform(_:dryRun:)``.
/// - **No delays:** No process waits for the inspector, however long it takes to read.
/// - **Live:** The snapshot follows the directory within a few hundredths of a second, or a tenth of a second while
///   many places change. Locks and states that have no events are compared twice a second. Changes that are closer
///   together are combined, so they arrive at a bounded rate, however many there are.
/// - **Redaction:** Secrets of sessions and tweaks are never read into the model. An ``InspectorRedaction`` hides other
///   values, before they are compared or shown.
/// - **Threads:** All methods may be called from any thread. Values are delivered on a queue of the inspector.
/// - **Lifetime:** The directory is observed as long as the inspector or a subscription lives.
public final class Inspector: Signal {
  /// A snapshot of everything.
  public typealias Element = InspectorSnapshot

  /// An inspector never fails; ``InspectorSnapshot/problems`` lists the places that it cannot read.
  public typealias Failure = Never

  /// The last snapshot as an observable property.
  public let property: Property<InspectorSnapshot>

  let engine: InspectorEngine

  /// Opens the directory of a group.
  ///
  /// - Parameters:
  ///   - directory: The directory, such as ``/AppGroups/AppGroupsContainer/containerURL``, or the root of environments.
  ///   - redaction: The rule for values that must not be shown.
  ///   - isWritable: A Boolean value that indicates whether ``perform(_:dryRun:)`` makes changes.
  /// - Throws: ``InspectorError`` if the directory is missing or cannot be observed.
  /// - Complexity: O(*n*) in the size of the shared values and in the number of other files.
  public init(
    directory: URL, redaction: InspectorRedaction = .standard, isWritable: Bool = false
  ) throws(InspectorError) {
    engine = try InspectorEngine(directory, redaction, isWritable: isWritable)
    property = Property(engine.snapshot, keeping: engine)
  }

  /// The last snapshot.
  public var value: InspectorSnapshot { property.value }

  /// The differences of successive snapshots, each sent after ``value`` has changed.
  public var updates: some Signal<InspectorUpdate, Never> { KeptSignal(upstream: engine.updates, owner: engine) }

  /// The changes of the resources, one by one and in order.
  public var changes: some Signal<InspectorChange, Never> { KeptSignal(upstream: engine.changes, owner: engine) }

  /// Attaches a subscriber, which receives the last snapshot at once and then every later one.
  ///
  /// - Parameter subscriber: The subscriber.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe(_ subscriber: some SignalSubscriber<InspectorSnapshot, Never>) -> SignalSubscription {
    property.subscribe(subscriber)
  }

  /// Compares the directory with the last snapshot now, asks the processes that publish signals, and waits for the
  /// result.
  ///
  /// A process that does not answer within a fifth of a second is shown as it was.
  ///
  /// - Returns: The snapshot.
  @discardableResult
  public func refresh() async -> InspectorSnapshot { await refresh(isAsking: true) }

  func refresh(isAsking: Bool, reading path: String? = nil) async -> InspectorSnapshot {
    await withCheckedContinuation { continuation in
      engine.refresh(isAsking: isAsking, reading: path) { continuation.resume() }
    }
    return value
  }
}
