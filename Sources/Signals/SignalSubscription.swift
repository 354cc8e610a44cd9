import Synchronization

/// The token of one subscription: it stays alive as long as the token does.
///
/// Keep the token, in a property or in a set with ``store(in:)``; releasing the last reference to it cancels. What then
/// holds is law 4 of <doc:/Docs/TheLaws>.
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
  /// The source or the operator that the token detaches from; retained until the subscription has been cancelled.
  private let owner: Unmanaged<SubscriptionOwner>

  /// The subscriber's place in the owner; guarded by the owner's lock, and `nil` once the subscription is over.
  @exclusivity(unchecked)
  nonisolated(unsafe) var node: Unmanaged<SubscriberNode>?

  /// What lives and ends with the subscription: upstream subscriptions, or a source that nobody else holds.
  private let companion = Atomic<Unmanaged<SubscriptionOwner>?>(nil)

  /// How many threads are cancelling the subscription, or ``over``.
  private let cancellers = Atomic<Int>(0)

  /// In place of a number of threads: the subscription has been cancelled, companion and all, and the owner released.
  private static var over: Int { -1 }

  /// Makes the token of a subscriber that `owner` is about to take in.
  @usableFromInline
  init(owner: SubscriptionOwner, node: SubscriberNode) {
    self.owner = .passRetained(owner)
    self.node = Unmanaged.passUnretained(node)
    node.token = Unmanaged.passUnretained(self)
  }

  /// Makes a token that owns nothing but what it is given.
  @usableFromInline
  package init(owner: SubscriptionOwner) {
    self.owner = .passRetained(owner)
    self.node = nil
  }

  /// Makes a subscription that runs a closure once, when it is cancelled or released.
  ///
  /// Use it in a ``Signal`` of your own whose values do not come from an ``Emitter``.
  ///
  /// - Parameter cancel: Called once, on the thread that cancels or releases the token.
  public convenience init(_ cancel: @escaping @Sendable () -> Void) {
    self.init(owner: ClosureOwner(cancel))
  }

  deinit {
    // No other thread has the token any more.
    if cancellers.load(ordering: .acquiring) == Self.over { return }
    detach()
    owner.release()
  }

  /// Ends the subscription.
  ///
  /// After this returns, the subscriber is not called again on this thread; a call that another thread is in may
  /// finish, and none starts; if an operator's closure cancels, the value that it was called with may still be
  /// delivered. What the subscriber captured is released. It may be called at any time, from any thread, from inside the
  /// subscriber itself, and more than once.
  ///
  /// - Complexity: O(1) amortised, whatever the number of subscribers.
  public func cancel() {
    guard beginCancelling() else { return }
    detach()
    endCancelling()
  }

  private func detach() {
    owner._withUnsafeGuaranteedRef { $0.cancel(self) }
    if companion.load(ordering: .relaxed) != nil {
      companion.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue().cancel(self)
    }
  }

  /// Counts this thread among those that cancel, unless all has been done.
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

  /// Ends what ``beginCancelling()`` began; the last thread releases the owner, because the others may still be in it.
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

  /// Keeps the token in a set, so that it lives as long as the set does.
  ///
  /// - Parameter subscriptions: The set that will own the token.
  public func store(in subscriptions: inout Set<SignalSubscription>) {
    subscriptions.insert(self)
  }

  /// Ties `companion` to the subscription: it is kept alive until the subscription is cancelled, and is then cancelled
  /// too.
  ///
  /// To be called by operators and sources, before the token is handed to the user.
  @usableFromInline
  package func bind(_ companion: SubscriptionOwner) {
    var companion = companion
    if let other = self.companion.exchange(nil, ordering: .acquiringAndReleasing) {
      companion = OwnerPair(other.takeRetainedValue(), companion)
    }
    self.companion.store(Unmanaged.passRetained(companion), ordering: .releasing)
  }

  /// Keeps `object` alive until the subscription is cancelled.
  package func keepAlive(_ object: any AnyObject & Sendable) -> SignalSubscription {
    bind(KeepAlive(object))
    return self
  }

  /// Whether two tokens are the same one.
  public static func == (left: SignalSubscription, right: SignalSubscription) -> Bool {
    left === right
  }

  /// Feeds the token's identity to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
