import Synchronization

/// The subscription that an operator holds to one input after another.
///
/// An input can end, and the next one begin, before the call that subscribes to it has returned its token. Each input
/// therefore has a number, and a token that arrives too late is cancelled.
@usableFromInline
final class CurrentUpstream: SubscriptionOwner, @unchecked Sendable {  // Sound: the state is guarded by the lock.
  private let lock = Lock()
  private let isOver = Atomic<Bool>(false)
  private var latest = 0
  private var token: SignalSubscription?

  /// A Boolean value that indicates whether the first input has sent nothing; belongs to the stage that receives from it.
  @exclusivity(unchecked) @usableFromInline var isEmpty = true

  @usableFromInline
  override init() {}

  /// A Boolean value that indicates whether the subscription has ended.
  @usableFromInline
  var isCancelled: Bool { isOver.load(ordering: .acquiring) }

  /// Cancels the current input and returns the number of the next.
  @usableFromInline
  func begin() -> Int {
    let (number, released) = lock.withLock {
      latest += 1
      return (latest, token.take())
    }
    released?.cancel()
    return number
  }

  /// Keeps the token of an input, or cancels it if that input is no longer the current one.
  @usableFromInline
  func keep(_ subscription: SignalSubscription, of input: Int) {
    let isKept = lock.withLock {
      guard !isCancelled, input == latest else { return false }
      token = subscription
      return true
    }
    if !isKept { subscription.cancel() }
  }

  /// Cancels the current input and every later one.
  @usableFromInline
  func cancelAll() {
    let released = lock.withLock {
      isOver.store(true, ordering: .releasing)
      return token.take()
    }
    released?.cancel()
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}
