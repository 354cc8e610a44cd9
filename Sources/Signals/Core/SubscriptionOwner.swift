/// An object that a token cancels: a place in a source, a closure, or a group of other subscriptions.
@usableFromInline
package class SubscriptionOwner: @unchecked Sendable {  // Sound: every subclass guards its own state.
  @usableFromInline
  package init() {}

  /// Ends the subscription.
  ///
  /// Any thread may call this, any number of times.
  package func cancel(_ subscription: SignalSubscription) {}
}

/// An owner that runs a closure once.
final class ClosureOwner: SubscriptionOwner, @unchecked Sendable {  // Sound: the lock guards the closure.
  private let lock = Lock()
  private var body: (@Sendable () -> Void)?

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  override func cancel(_ subscription: SignalSubscription) {
    lock.withLock { body.take() }?()
  }
}

/// An owner that keeps an object alive as long as the subscription.
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
    (self.first, self.second) = (first, second)
  }

  override func cancel(_ subscription: SignalSubscription) {
    first.cancel(subscription)
    second.cancel(subscription)
  }
}
