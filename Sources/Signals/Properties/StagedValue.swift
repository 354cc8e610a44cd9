public import Synchronization

/// A value that a property has stored and still has to send.
///
/// Code that keeps a property in step with something else, such as a file, changes both under its own lock. Sending
/// under that lock would run subscribers under it. Therefore the value is stored under the lock, which fixes its place
/// in the order, and is sent afterwards. Until then, the values of other writers queue up behind it. A value that is
/// staged inside ``batch(_:)`` is sent when the batch ends.
///
/// It is an object, because copies of a generic structure would cost more than the send.
@usableFromInline
package final class StagedValue<Value: Sendable> {
  @usableFromInline let core: PropertyCore<Value>

  /// A Boolean value that indicates whether this thread has to deliver.
  @usableFromInline let isOurs: Bool

  /// The old value.
  ///
  /// It is released with the staged value, because its `deinit` may run code.
  @usableFromInline let replaced: Value?

  /// The derived values that depend on the property.
  @usableFromInline let dependents: FlushList
  @usableFromInline let tracker: ObservationTracker?

  @inlinable
  init(
    _ core: PropertyCore<Value>, isOurs: Bool, replaced: Value?, _ dependents: FlushList, _ tracker: ObservationTracker?
  ) {
    (self.core, self.isOurs, self.replaced) = (core, isOurs, replaced)
    (self.dependents, self.tracker) = (dependents, tracker)
  }

  /// Sends the value.
  ///
  /// Call this exactly once, without holding a lock that a subscriber could need.
  @inlinable
  package func send() {
    if isOurs { core.drain() }
    core.flush(dependents)
    tracker?.notify()
  }
}

extension MutableProperty {
  /// Stores a value, visible to all readers at once, and leaves sending to ``StagedValue/send()``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - changes: Returns the numbers of the parts in which the value differs from the old one, or `nil` if they are
  ///     unknown. Values that depend on other parts are then neither marked nor computed, see
  ///     ``Property/depending(onPart:)``. It is called under the property's lock, and only if a value is derived from
  ///     the property.
  /// - Returns: The staged value.
  @inlinable
  package func stage(
    _ value: Value, changes: (_ old: Value, _ new: Value) -> [UInt32]? = { _, _ in nil }
  ) -> StagedValue<Value> {
    core.stage(value, changes)
  }
}

extension Property {
  /// Returns the property, which is derived, after making it depend only on one part of its inputs, such as one value
  /// of many.
  ///
  /// The property stays consistent with all others that are derived from the same inputs. Call this once, before the
  /// property is shared.
  ///
  /// - Parameter part: The number of the part, such as a hash; not 0. If several parts have one number, the property is
  ///   computed after changes of each of them.
  /// - Returns: The same property.
  package func depending(onPart part: UInt32) -> Property<Value> {
    core.derivation?.part = part
    return self
  }
}

extension PropertyCore {
  @inlinable
  func stage(_ value: Value, _ changes: (Value, Value) -> [UInt32]?) -> StagedValue<Value> {
    lockValue()
    let replaced = stored
    stored = value
    version &+= 1
    if placeReference != nil { _ = noteQuietWrite() }
    if activeBatches.pointee.load(ordering: .relaxed) > 0, BatchFrame.hold(self) {
      mirror.store(value)
      lock.unlock()
      return StagedValue(self, isOurs: false, replaced: replaced, FlushList(), nil)
    }
    let parts = place?.hasDependents == true ? replaced.flatMap { changes($0, value) } : nil
    let dependents = parts.map { markDependents(of: $0) } ?? markDependents()
    mirror.store(value)
    let tracker = place?.tracker
    var isOurs = false
    if interest.load(ordering: .relaxed) != 0 {
      queue.append(.value(value))
      isOurs = demandTurn()
    }
    lock.unlock()
    return StagedValue(self, isOurs: isOurs, replaced: replaced, dependents, tracker)
  }
}

@available(*, unavailable)
extension StagedValue: Sendable {}
