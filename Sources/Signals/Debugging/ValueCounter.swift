import Synchronization

/// A count of the values of an emitter, which subscribes to the emitter as long as the count exists.
///
/// Sending costs nothing more without a count. ``RegisteredSource/subscriberCount`` and ``SubscriptionTrace`` leave the
/// subscription out.
package final class ValueCounter: Sendable {
  private let total: Total
  private let subscription: SignalSubscription

  fileprivate final class Total: Sendable {
    let count = Atomic<UInt64>(0)
  }

  fileprivate init<Element, Failure>(of core: EmitterCore<Element, Failure>) {
    total = Total()
    subscription = core.subscribe(CountingSubscriber<Element, Failure>(total: total))
  }

  /// The number of values since the count began.
  package var count: UInt64 { total.count.load(ordering: .relaxed) }
}

/// A subscriber that is not shown to tools.
protocol HiddenSubscriber {}

private struct CountingSubscriber<Element: Sendable, Failure: Error>: SignalSubscriber, HiddenSubscriber {
  let total: ValueCounter.Total

  // Only a source that replays asks, before each replayed value. Those values were sent before the count began.
  var isDone: Bool { true }

  func receive(_ value: Element) { total.count.add(1, ordering: .relaxed) }
  func receive(completion: SignalCompletion<Failure>) {}
}

/// A source that is not kept alive, and the count of its values, if there is one at present.
///
/// It is an object, because a weak reference is slow to copy.
final class SourceReference: Sendable {
  private struct State {
    weak var counter: ValueCounter?
  }

  weak let core: SourceCore?
  private let state = Guarded(State())

  init(_ core: SourceCore) {
    self.core = core
  }

  var counter: ValueCounter? { state.withLock { $0.counter } }

  /// Returns the present count, or begins one for an emitter.
  func counter(of core: any TracedSource) -> ValueCounter? {
    if let counter { return counter }
    // Not under the lock, because a subscription may deliver values.
    let made = core.counter()
    return state.withLock { state in
      if let counter = state.counter { return counter }
      state.counter = made
      return made
    }
  }
}

extension EmitterCore {
  final func counter() -> ValueCounter { ValueCounter(of: self) }
}
