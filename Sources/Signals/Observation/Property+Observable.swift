public import Observation
import Synchronization

/// Reading ``Property/value`` inside `withObservationTracking`, and so inside the body of a SwiftUI view, makes that
/// depend on the property, or, if it is a derived one, on what it is derived from.
///
/// The change is announced after the new value has been stored, on the thread that wrote it; in a ``batch(_:)``, at its
/// end. Observation itself begins to watch only when the tracked closure returns: what another thread writes in that
/// moment is not announced. Use ``Signal/sink(_:file:line:)`` or ``values`` where none may be missed.
extension Property: Observable {}

extension SourceCore {
  /// Notes the read of a property, if this thread is tracking what it reads; to be called before the value is read, so
  /// that no change between the two is missed.
  @usableFromInline
  final func noteAccess() {
    guard let tracker = tracker.load(ordering: .acquiring) else { return noteAccess(by: makeTracker()) }
    if tracker._withUnsafeGuaranteedRef({ $0.access() }) { track() }
  }

  private final func noteAccess(by tracker: ObservationTracker) {
    if tracker.access() { track() }
  }

  private final func makeTracker() -> ObservationTracker {
    let tracker = ObservationTracker()
    let reference = Unmanaged.passRetained(tracker)
    let (isOurs, existing) = self.tracker.compareExchange(
      expected: nil, desired: reference, ordering: .acquiringAndReleasing
    )
    guard !isOurs, let existing else { return tracker }
    reference.release()
    return existing.takeUnretainedValue()
  }

  /// Has the changes of the property announced from now on; or, if it is a derived one, of what it is derived from.
  private final func track() {
    guard node != nil else { return announce() }
    var seen: Set<ObjectIdentifier> = []
    var pending: [SourceCore] = [self]
    while let core = pending.popLast() {
      guard seen.insert(ObjectIdentifier(core)).inserted else { continue }
      if let announcer = core.node?.announcer {
        announcer.noteAccess()
      } else if let node = core.node {
        pending += node.inputs.map { $0.takeUnretainedValue() }
      } else {
        core.noteAccess()
      }
    }
  }

  private final func announce() {
    lock.withLock {
      let place = place ?? GraphPlace()
      self.place = place
      if place.tracker == nil { place.tracker = tracker.load(ordering: .acquiring)?.takeUnretainedValue() }
    }
  }
}
