public import Observation
import Synchronization

/// Reading ``Property/value`` inside `withObservationTracking`, and therefore in the body of a SwiftUI view, registers
/// a dependency on the property.
///
/// For a derived property, the dependency is on its inputs.
///
/// `Observations { … }` tracks properties in the same way, and its `signal` turns any observable object into a signal.
///
/// A change is announced after the new value has been stored, on the thread that wrote it. In a ``batch(_:)``, it is
/// announced at the end. Observation begins to watch only when the tracked closure returns, so a change that another
/// thread makes during the closure may not be announced. Use ``Signal/sink(_:file:line:)`` or ``values`` if no change
/// may be missed.
extension Property: Observable {}

extension PropertyCore {
  /// Records a read of a property, if this thread is tracking reads.
  ///
  /// Call this before reading the value, so that no change between the two is missed.
  @usableFromInline
  final func noteAccess() {
    // Sound: the core owns the tracker for good, once it has been set, and the caller owns the core during the call.
    let tracker = tracker.load(ordering: .acquiring) ?? makeTracker()
    if tracker._withUnsafeGuaranteedRef({ $0.access() }) { track() }
  }

  private final func makeTracker() -> Unmanaged<ObservationTracker> {
    let made = Unmanaged.passRetained(ObservationTracker())
    let (isOurs, existing) = tracker.compareExchange(expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isOurs, let existing else { return made }
    made.release()
    return existing
  }

  /// Announces the changes of the property from now on.
  ///
  /// For a derived property, announces the changes of its inputs.
  private final func track() {
    guard derivation != nil else { return announce() }
    var seen: Set<ObjectIdentifier> = []
    var pending: [SourceCore] = [self]
    while let core = pending.popLast() {
      guard seen.insert(ObjectIdentifier(core)).inserted else { continue }
      if let announcer = core.derivation?.announcer {
        announcer.noteRead()
      } else if let node = core.derivation {
        pending += node.inputs.map { $0.takeUnretainedValue() }
      } else {
        core.noteRead()
      }
    }
  }

  private final func announce() {
    lock.withLock {
      let place = makePlace()
      if place.tracker == nil { place.tracker = tracker.load(ordering: .acquiring)?.takeUnretainedValue() }
    }
  }
}

/// The registration of one property with Swift Observation; created when the value is first read.
///
/// Observation does not reveal whether a read is tracked. But it stores the key paths that it tracks in hashed
/// collections, and hashing a key path hashes its arguments. An argument of our own type therefore detects tracking,
/// and a property that is read but not tracked costs nothing when it is written. One registrar for all properties would
/// also detect tracking, but a property that is tracked once and never changes would stay registered there forever.
@usableFromInline
final class ObservationTracker: Observable, Sendable {
  /// The argument of the key path, which detects tracking.
  private final class Witness: Hashable, Sendable {
    let hasSeenTracking = Atomic<Bool>(false)

    static func == (left: Witness, right: Witness) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
      hasSeenTracking.store(true, ordering: .relaxed)
      hasher.combine(ObjectIdentifier(self))
    }
  }

  private let registrar = ObservationRegistrar()
  private let witness: Witness
  private let keyPath: any KeyPath<ObservationTracker, Void> & Sendable

  init() {
    let witness = Witness()
    self.witness = witness
    keyPath = \ObservationTracker[witness]
  }

  private subscript(_: Witness) -> Void { () }

  /// Reports a read of the property to Observation.
  ///
  /// - Returns: `true` if this read or an earlier one was tracked.
  func access() -> Bool {
    registrar.access(self, keyPath: keyPath)
    return witness.hasSeenTracking.load(ordering: .relaxed)
  }

  /// Notifies the observers of the property that it has changed.
  @usableFromInline
  func notify() {
    registrar.withMutation(of: self, keyPath: keyPath) {}
  }
}

extension Property {
  /// Returns the property after making it announce its own changes to Swift Observation, instead of each change of its
  /// inputs.
  ///
  /// This requires an observer, so the property is computed after every change as long as the result, or a property
  /// derived from it, lives. Call this once, before the property is shared.
  ///
  /// - Returns: The same property, observed.
  package func announcingItself() -> Property<Value> {
    guard let node = core.derivation else { return self }
    let announcer = MutableProperty(())
    node.announcer = announcer.core
    let subscription = sink { _ in announcer.value = () }
    return Property(core: core, source: KeepAlive(subscription))
  }
}
