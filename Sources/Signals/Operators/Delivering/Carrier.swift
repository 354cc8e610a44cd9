public import Synchronization

/// A function that runs work elsewhere and returns `false` if that place no longer exists.
@usableFromInline
typealias Schedule = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

/// An object that delivers values to a subscriber in another place, in order.
///
/// Values that arrive in a burst are delivered together: at any time, at most one piece of work is scheduled or
/// running.
@usableFromInline
final class Carrier<Element: Sendable, Failure: Error>: SubscriptionOwner, InputReceiver, @unchecked Sendable {
  // Sound: the state is guarded by the lock.

  /// A message to the subscriber.
  @usableFromInline
  enum Letter: Sendable {
    case value(Element)
    case completion(SignalCompletion<Failure>)
  }

  @usableFromInline let lock = Lock()
  @usableFromInline let schedule: Schedule

  /// The messages that wait to be delivered.
  ///
  /// Its turn is taken while work is scheduled or running.
  @usableFromInline let outbox = Outbox<Letter>()

  /// The subscriber; `nil` once the subscription has ended.
  @exclusivity(unchecked) @usableFromInline var subscriber: ErasedSubscriber<Element, Failure>?

  /// The subscription to the signal that sends the values.
  @exclusivity(unchecked) private var upstream: SignalSubscription?

  /// A Boolean value that indicates whether the subscription has ended; checked without the lock before each delivery.
  @usableFromInline let isClosed = Atomic<Bool>(false)

  @inlinable
  init(to subscriber: ErasedSubscriber<Element, Failure>, schedule: @escaping Schedule) {
    (self.subscriber, self.schedule) = (subscriber, schedule)
  }

  /// Adds a message, and schedules its delivery unless a delivery is scheduled or running.
  @inlinable @inline(__always)
  func put(_ letter: Letter) {
    if isClosed.load(ordering: .acquiring) { return }
    if outbox.addTakingTurn(letter) { send() }
  }

  @usableFromInline
  func send() {
    let isPossible = schedule { [self] in deliver() }
    if !isPossible { close() }
  }

  /// Delivers the waiting messages, and schedules another delivery if more have arrived.
  @inlinable
  func deliver() {
    lock.lock()
    let subscriber = subscriber
    lock.unlock()
    guard let subscriber else {
      outbox.removeAll()
      return
    }
    let mustSend = outbox.deliverBatch { letter in
      guard !isClosed.load(ordering: .acquiring) else { return }
      switch letter {
      case .value(let value): subscriber.receive(value)
      case .completion(let completion):
        subscriber.receive(completion: completion)
        close()
      }
    } afterwards: {
      // A source that sends everything while it is subscribed to has returned no token yet that the subscriber could
      // cancel. Only the target asks, not `isDone(_:)`: the answer may deliver what waits after the subscriber.
      if !isClosed.load(ordering: .acquiring), subscriber.isDone { close() }
    }
    if mustSend { send() }
  }

  /// Keeps the upstream subscription, or cancels it at once if this subscription has already ended.
  @usableFromInline
  func hold(_ subscription: SignalSubscription) {
    let isWanted = lock.withLock {
      if subscriber == nil { return false }
      upstream = subscription
      return true
    }
    if !isWanted { subscription.cancel() }
  }

  /// Drops the waiting messages, releases the subscriber and cancels the upstream subscription.
  @usableFromInline
  func close() {
    isClosed.store(true, ordering: .releasing)
    let released = lock.withLock { (subscriber.take(), upstream.take()) }
    outbox.removeAll()
    released.1?.cancel()
    withExtendedLifetime(released) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    close()
  }

  // MARK: The input

  @inlinable @inline(__always)
  func receive(_ value: Element, from key: Void) {
    put(.value(value))
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>, from key: Void) {
    put(.completion(completion))
  }

  @inlinable
  func isDone(_ key: Void) -> Bool { isClosed.load(ordering: .acquiring) }
}

extension Carrier: IndirectStep {
  var next: Any? { lock.withLock { subscriber }?.inside }
}
