import Synchronization

/// A token that keeps one subscription alive.
///
/// Keep the token in a property, or in a set with ``store(in:)``. Releasing its last reference cancels the
/// subscription, with the effects that law 4 of <doc:/Docs/TheLaws> describes.
///
/// ```swift
/// import Signals
///
/// final class Meter {
///   private var subscriptions: Set<SignalSubscription> = []
///
///   init(watching level: Emitter<Int, Never>) {
///     level.sink { print("level", $0) }.store(in: &subscriptions)
///   }
/// }
/// ```
public final class SignalSubscription: Hashable, Sendable {
  /// The source or operator that the subscriber is attached to; retained until the subscription has been cancelled.
  private let owner: Unmanaged<SubscriptionOwner>

  /// The subscriber's place in the owner, retained, or `nil` after the subscription has ended.
  ///
  /// Guarded by the owner's lock. Whoever sets it to `nil` releases the node or takes over the reference.
  @exclusivity(unchecked)
  nonisolated(unsafe) var node: Unmanaged<SubscriberNode>?

  /// An object that lives and ends with the subscription: upstream subscriptions, or a source that has no other owner.
  private let companion = Atomic<Unmanaged<SubscriptionOwner>?>(nil)

  /// The number of threads that are cancelling the subscription, or ``over``.
  private let cancellers = Atomic<Int>(0)

  /// The value of ``cancellers`` after the subscription and its companion have been cancelled and the owner released.
  private static var over: Int { -1 }

  /// Creates the token of a subscriber that `owner` is about to add.
  @usableFromInline
  init(owner: SubscriptionOwner, node: SubscriberNode) {
    self.owner = .passRetained(owner)
    self.node = .passRetained(node)
    // Sound: `deinit` cuts the link, under the owner's lock, before this object is freed.
    node.token = .passUnretained(self)
  }

  /// Creates a token that has no subscriber node and only cancels `owner`.
  @usableFromInline
  package init(owner: SubscriptionOwner) {
    self.owner = .passRetained(owner)
    self.node = nil
  }

  /// Creates a subscription that runs a closure once, when it is cancelled or released.
  ///
  /// Use it when you implement a ``Signal`` whose values do not come from an ``Emitter``.
  ///
  /// - Parameter cancel: A closure that is called once, on the thread that cancels or releases the token.
  public convenience init(_ cancel: @escaping @Sendable () -> Void) {
    self.init(owner: ClosureOwner(cancel))
  }

  deinit {
    // No other thread holds a reference any more.
    if cancellers.load(ordering: .acquiring) == Self.over { return }
    detach()
    owner.release()
  }

  /// Cancels the subscription and releases everything that the subscriber captured.
  ///
  /// - **Threads:** You can cancel from any thread, from inside the subscriber itself, and more than once. After
  ///   `cancel()` returns, the subscriber is not called again on this thread. A call that is running on another thread
  ///   may finish, but no new one starts.
  /// - **Operators:** If the closure of an operator cancels, the value that it was called with may still be delivered.
  ///
  /// - Complexity: O(1) amortised, whatever the number of subscribers.
  public func cancel() {
    guard beginCancelling() else { return }
    detach()
    endCancelling()
  }

  private func detach() {
    // Sound: the token owns a reference to the owner until the last canceller, or `deinit`, has returned from here.
    owner._withUnsafeGuaranteedRef { $0.cancel(self) }
    if companion.load(ordering: .relaxed) != nil {
      companion.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue().cancel(self)
    }
  }

  /// Counts this thread as a canceller, unless the subscription has already been cancelled.
  private func beginCancelling() -> Bool {
    var count = cancellers.load(ordering: .acquiring)
    while count != Self.over {
      let attempt = cancellers.weakCompareExchange(
        expected: count, desired: count + 1, successOrdering: .acquiring, failureOrdering: .acquiring
      )
      if attempt.exchanged { return true }
      count = attempt.original
    }
    return false
  }

  /// Ends what ``beginCancelling()`` began.
  ///
  /// The last thread releases the owner, because the others may still be using it.
  private func endCancelling() {
    var count = cancellers.load(ordering: .relaxed)
    while true {
      let attempt = cancellers.weakCompareExchange(
        expected: count, desired: count == 1 ? Self.over : count - 1, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      )
      if attempt.exchanged { break }
      count = attempt.original
    }
    if count == 1 { owner.release() }
  }

  /// Adds the token to a set, so that it lives as long as the set does.
  ///
  /// - Parameter subscriptions: The set that owns the token.
  public func store(in subscriptions: inout Set<SignalSubscription>) {
    subscriptions.insert(self)
  }

  /// Ties `companion` to the subscription, which keeps it alive and cancels it when the subscription is cancelled.
  ///
  /// Operators and sources call this before they return the token to the user, so no other thread can cancel it.
  @usableFromInline
  package func bind(_ companion: SubscriptionOwner) {
    var companion = companion
    if let other = self.companion.exchange(nil, ordering: .acquiringAndReleasing) {
      companion = OwnerPair(other.takeRetainedValue(), companion)
    }
    // Sound: the token owns the reference from here on. Not a store, which may come before the retain.
    _ = self.companion.exchange(.passRetained(companion), ordering: .acquiringAndReleasing)
  }

  /// Keeps `object` alive until the subscription is cancelled.
  package func keepAlive(_ object: any AnyObject & Sendable) -> SignalSubscription {
    bind(KeepAlive(object))
    return self
  }

  /// Returns a Boolean value that indicates whether two tokens are the same instance.
  public static func == (left: SignalSubscription, right: SignalSubscription) -> Bool {
    left === right
  }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension SignalSubscription {
  /// The token of a subscription that had ended before it could be returned.
  @usableFromInline
  static var ended: SignalSubscription { SignalSubscription(owner: noOwner) }

  private static let noOwner = SubscriptionOwner()
}
