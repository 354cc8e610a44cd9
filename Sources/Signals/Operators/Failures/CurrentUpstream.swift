import Synchronization

/// The subscription that an operator holds on one input after another.
///
/// An input can end, and the next begin, before the call that subscribes to it has returned its token; so each input
/// has a number, and a token that comes too late is dropped.
@usableFromInline
final class CurrentUpstream: SubscriptionOwner, @unchecked Sendable {  // Sound: the state is guarded by the lock.
  private let lock = Lock()
  private let isOver = Atomic<Bool>(false)
  private var latest = 0
  private var token: SignalSubscription?

  @usableFromInline
  override init() {}

  /// Whether the subscription is over.
  @usableFromInline
  var isCancelled: Bool { isOver.load(ordering: .acquiring) }

  /// Lets go of the current input, and numbers the next.
  @usableFromInline
  func begin() -> Int {
    let (number, released) = lock.withLock {
      latest += 1
      let released = token
      token = nil
      return (latest, released)
    }
    released?.cancel()
    return number
  }

  /// Keeps the token of an input, unless that is no longer the current one.
  @usableFromInline
  func keep(_ subscription: SignalSubscription, of input: Int) {
    let isKept = lock.withLock {
      guard !isCancelled, input == latest else { return false }
      token = subscription
      return true
    }
    if !isKept { subscription.cancel() }
  }

  /// Cancels the current input, and every later one.
  @usableFromInline
  func cancelAll() {
    let released = lock.withLock {
      isOver.store(true, ordering: .releasing)
      let released = token
      token = nil
      return released
    }
    released?.cancel()
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}
