import Synchronization

/// A value that a property has stored already and is about to send.
///
/// Whoever keeps a property in step with something else, such as a file, changes both under a lock of its own; sending
/// there would run subscribers under that lock. So the value is stored, and thereby takes its place in the order, under
/// the lock, and is sent after it. Until then other writers' values queue up behind it. A value that is staged inside
/// ``batch(_:)`` is sent when the batch ends.
package struct StagedValue<Value: Sendable> {
  private let core: PropertyCore<Value>

  /// Whether this thread is the one that must deliver.
  private let isOurs: Bool

  /// Released only with the staged value: a value may run code as it goes.
  private let replaced: Value?

  /// The derived values that depend on it.
  private let dependents: FlushList
  private let tracker: ObservationTracker?

  fileprivate init(
    core: PropertyCore<Value>, isOurs: Bool, replaced: Value?, dependents: FlushList, tracker: ObservationTracker?
  ) {
    self.core = core
    self.isOurs = isOurs
    self.replaced = replaced
    self.dependents = dependents
    self.tracker = tracker
  }

  /// Sends the value; to be called exactly once, without any lock that a subscriber could want.
  package func send() {
    if isOurs { core.drain() }
    core.flush(dependents)
    tracker?.notify()
  }
}

extension MutableProperty {
  /// Stores a value, visible to all readers at once, and leaves sending it to ``StagedValue/send()``.
  package func stage(_ value: Value) -> StagedValue<Value> {
    core.stage(value)
  }
}

extension PropertyCore {
  fileprivate func stage(_ value: Value) -> StagedValue<Value> {
    lockValue()
    let replaced = stored
    stored = value
    version &+= 1
    if contenders > 0 { lastWriter = ThreadIdentity.current }
    if activeBatches.pointee.load(ordering: .relaxed) > 0, BatchFrame.hold(self) {
      mirror.store(value)
      lock.unlock()
      return StagedValue(core: self, isOurs: false, replaced: replaced, dependents: FlushList(), tracker: nil)
    }
    let dependents = markDependents()
    mirror.store(value)
    let tracker = place?.tracker
    var isOurs = false
    if interest.load(ordering: .relaxed) != 0 {
      queue.append(.value(value))
      isOurs = demandTurn()
    }
    lock.unlock()
    return StagedValue(core: self, isOurs: isOurs, replaced: replaced, dependents: dependents, tracker: tracker)
  }
}

@available(*, unavailable)
extension StagedValue: Sendable {}
