import Synchronization

/// The subscriptions that an operator holds on its inputs, for one that has several, or that ends one itself.
///
/// A stage holds it and cancels it; the token that the operator returns is made with it, or bound to it. It refers to
/// tokens that refer to sources that refer to stages that refer to it: that circle is broken by cancelling, and by each
/// end.
@usableFromInline
package final class Upstreams: SubscriptionOwner, @unchecked Sendable {  // Sound: the state is guarded by the lock.
  private let lock = Lock()
  private let isOver = Atomic<Bool>(false)
  private var first: SignalSubscription?
  private var others: [SignalSubscription] = []

  @usableFromInline
  package override init() {}

  /// Whether the group has been cancelled.
  @usableFromInline
  package var isCancelled: Bool { isOver.load(ordering: .acquiring) }

  /// Takes in one more subscription, or cancels it at once if the group is already cancelled.
  @usableFromInline
  package func add(_ subscription: SignalSubscription) {
    let isTaken = lock.withLock {
      if isCancelled { return false }
      if first == nil { first = subscription } else { others.append(subscription) }
      return true
    }
    if !isTaken { subscription.cancel() }
  }

  /// Cancels all subscriptions, those still to be added included.
  ///
  /// They leave the group only once they are cancelled, so that of two threads that cancel at a time neither returns
  /// before all is done.
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
    // Not under the lock: what they hold may run code as it goes.
    withExtendedLifetime(cancelled) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}
