public import Synchronization

/// The subscriptions of an operator to its inputs, for an operator that has several or that cancels one itself.
///
/// A stage holds this object and cancels it. The operator's token owns it or is bound to it. It refers to tokens, which
/// refer to sources, which refer to stages, which refer to it. Cancelling or completion breaks that cycle.
@usableFromInline
package final class Upstreams: SubscriptionOwner, @unchecked Sendable {  // Sound: the state is guarded by the lock.
  private let lock = Lock()
  @usableFromInline let isOver = Atomic<Bool>(false)
  private var first: SignalSubscription?
  private var others: [SignalSubscription] = []

  @usableFromInline
  package override init() {}

  /// A Boolean value that indicates whether the group has been cancelled.
  @inlinable @inline(__always)
  package var isCancelled: Bool { isOver.load(ordering: .acquiring) }

  /// Adds a subscription, or cancels it at once if the group has been cancelled.
  @usableFromInline
  package func add(_ subscription: SignalSubscription) {
    let isTaken = lock.withLock {
      if isCancelled { return false }
      if first == nil { first = subscription } else { others.append(subscription) }
      return true
    }
    if !isTaken { subscription.cancel() }
  }

  /// Cancels all subscriptions, including those added later.
  ///
  /// A subscription leaves the group only after it has been cancelled. If two threads cancel at the same time, neither
  /// returns before everything is cancelled.
  @usableFromInline
  package func cancelAll() {
    let cancelled = lock.withLock {
      isOver.store(true, ordering: .releasing)
      return (first, others)
    }
    cancelled.0?.cancel()
    for subscription in cancelled.1 { subscription.cancel() }
    lock.withLock {
      first = nil
      others = []
    }
    // Not under the lock: the `deinit` of a captured value may run code.
    withExtendedLifetime(cancelled) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}
