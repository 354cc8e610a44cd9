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
