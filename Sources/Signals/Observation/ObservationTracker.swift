public import Observation
import Synchronization

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
