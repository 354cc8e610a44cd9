public import Observation
import Synchronization

/// Announces the changes of one property to Swift Observation; made when the property is first read inside
/// `withObservationTracking`.
@usableFromInline
final class ObservationTracker: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// What changes, as far as Observation needs a name for it.
  private var change: Void { () }

  private static let path = \ObservationTracker.change

  /// Notes that whoever is tracking on this thread depends on the property.
  func access() {
    registrar.access(self, keyPath: Self.path)
  }

  /// Tells whoever has tracked the property that it has changed.
  @usableFromInline
  func notify() {
    registrar.willSet(self, keyPath: Self.path)
    registrar.didSet(self, keyPath: Self.path)
  }
}

/// Finds out whether this thread is inside `withObservationTracking`.
///
/// Observation has no way to ask. But it keeps the key paths that are accessed while it tracks, and only then, in sets; so an
/// access through a key path with an argument of ours calls that argument's `hash(into:)`, and only then. That lets a
/// property read in vain for Observation cost a few nanoseconds, and a write nothing.
final class TrackingDetector: Observable, Sendable {
  private struct Witness: Hashable, Sendable {
    func hash(into hasher: inout Hasher) {
      TrackingDetector.shared.sightings.add(1, ordering: .relaxed)
    }
  }

  private static let shared = TrackingDetector()
  private static let path = \TrackingDetector[Witness()]

  private let registrar = ObservationRegistrar()
  private let sightings = Atomic<Int>(0)

  private subscript(witness: Witness) -> Void { () }

  /// Whether this thread is tracking; other threads that are may rarely make it seem so.
  static var isTracking: Bool {
    let shared = shared
    let before = shared.sightings.load(ordering: .relaxed)
    shared.registrar.access(shared, keyPath: path)
    return shared.sightings.load(ordering: .relaxed) != before
  }
}
