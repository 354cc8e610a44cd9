public import Observation

/// Reading ``Property/value`` inside `withObservationTracking`, and so inside the body of a SwiftUI view, makes that depend
/// on the property, or, if it is a derived one, on what it is derived from.
///
/// The change is announced after the new value has been stored, on the thread that wrote it; in a ``batch(_:)``, at its end.
/// Observation itself begins to watch only when the tracked closure returns: what another thread writes in that moment is
/// not announced. Use ``Signal/sink(_:)`` or ``values`` where none may be missed.
extension Property: Observable {}

extension SourceCore {
  /// Notes the read of a property, if this thread is tracking what it reads.
  @usableFromInline
  final func noteAccess() {
    if TrackingDetector.isTracking { track() }
  }

  private final func track() {
    var seen: Set<ObjectIdentifier> = []
    var pending: [SourceCore] = [self]
    while let core = pending.popLast() {
      guard seen.insert(ObjectIdentifier(core)).inserted else { continue }
      if let node = core.node {
        pending += node.inputs.map { $0.takeUnretainedValue() }
      } else {
        core.tracker.access()
      }
    }
  }

  private final var tracker: ObservationTracker {
    lock.withLock {
      let place = place ?? GraphPlace()
      self.place = place
      let tracker = place.tracker ?? ObservationTracker()
      place.tracker = tracker
      return tracker
    }
  }
}
