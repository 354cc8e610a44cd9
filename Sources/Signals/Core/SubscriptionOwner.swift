/// What a subscription's token ends: a place in a source, a closure, or a group of other subscriptions.
@usableFromInline
package class SubscriptionOwner: @unchecked Sendable {  // Sound: every subclass guards its own state.
  @usableFromInline
  package init() {}

  /// Ends the subscription; called from any thread, any number of times.
  package func cancel(_ subscription: SignalSubscription) {}
}

/// Runs a closure once.
final class ClosureOwner: SubscriptionOwner, @unchecked Sendable {  // Sound: the closure is guarded by the lock.
  private let lock = Lock()
  private var body: (@Sendable () -> Void)?

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  override func cancel(_ subscription: SignalSubscription) {
    let body = lock.withLock {
      let body = self.body
      self.body = nil
      return body
    }
    body?()
  }
}

/// Holds an object for the life of a subscription.
final class KeepAlive: SubscriptionOwner, @unchecked Sendable {  // Sound: immutable.
  private let object: any AnyObject & Sendable

  init(_ object: any AnyObject & Sendable) {
    self.object = object
  }
}

/// Two companions of one subscription.
final class OwnerPair: SubscriptionOwner, @unchecked Sendable {  // Sound: immutable.
  private let first: SubscriptionOwner
  private let second: SubscriptionOwner

  init(_ first: SubscriptionOwner, _ second: SubscriptionOwner) {
    self.first = first
    self.second = second
  }

  override func cancel(_ subscription: SignalSubscription) {
    first.cancel(subscription)
    second.cancel(subscription)
  }
}
