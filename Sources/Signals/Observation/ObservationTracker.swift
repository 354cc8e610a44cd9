public import Observation
import Synchronization

/// What Swift Observation knows of one property; made when the value is first read.
///
/// Observation does not tell whether a read is tracked. But it keeps the key paths of what it tracks in hashed
/// collections, and hashing a key path hashes the arguments in it: so an argument of ours notices. A property that is
/// read, but not tracked, pays nothing when it is written. (One registrar for all properties would do for noticing, but
/// what is tracked once and never changes would stay registered there for ever.)
@usableFromInline
final class ObservationTracker: Observable, Sendable {
  /// The argument of the key path.
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

  /// Tells Observation that the property is being read.
  ///
  /// - Returns: Whether this, or an earlier read, was tracked.
  func access() -> Bool {
    registrar.access(self, keyPath: keyPath)
    return witness.hasSeenTracking.load(ordering: .relaxed)
  }

  /// Tells whoever has tracked the property that it has changed.
  @usableFromInline
  func notify() {
    registrar.withMutation(of: self, keyPath: keyPath) {}
  }
}
