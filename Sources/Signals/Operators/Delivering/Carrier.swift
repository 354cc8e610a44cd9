public import Synchronization

/// Does work elsewhere; answers whether that place still exists.
@usableFromInline
typealias Schedule = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

/// Takes values to a subscriber in another place, in order.
///
/// Values that come in a burst are delivered in one go: at any time there is at most one piece of work scheduled or
/// running.
@usableFromInline
final class Carrier<Element: Sendable, Failure: Error>: SubscriptionOwner, @unchecked Sendable {
  // Sound: the state is guarded by the lock.

  /// What is delivered.
  @usableFromInline
  enum Letter: Sendable {
    case value(Element)
    case completion(SignalCompletion<Failure>)
  }

  @usableFromInline let lock = Lock()
  @usableFromInline let schedule: Schedule

  /// What waits; its turn is taken while work is scheduled or running.
  @usableFromInline let outbox = Outbox<Letter>()

  /// The subscriber; `nil` once the subscription is over.
  @exclusivity(unchecked) @usableFromInline var subscriber: ErasedSubscriber<Element, Failure>?

  /// What brings the values here.
  @exclusivity(unchecked) private var upstream: SignalSubscription?

  /// Whether the subscription is over, to be asked without the lock before each delivery.
  @usableFromInline let isClosed = Atomic<Bool>(false)

  @inlinable
  init(to subscriber: ErasedSubscriber<Element, Failure>, schedule: @escaping Schedule) {
    self.subscriber = subscriber
    self.schedule = schedule
  }

  /// Adds a letter, and schedules its delivery unless a delivery is scheduled or running.
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

  /// Delivers the letters that wait, and schedules another delivery if more came meanwhile.
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
    }
    if mustSend { send() }
  }

  /// Keeps the subscription that brings the values, or cancels it at once if nobody wants them any more.
  @usableFromInline
  func hold(_ subscription: SignalSubscription) {
    let isWanted = lock.withLock {
      if subscriber == nil { return false }
      upstream = subscription
      return true
    }
    if !isWanted { subscription.cancel() }
  }

  /// Drops what waits, lets go of the subscriber and ends the subscription that brings the values.
  @usableFromInline
  func close() {
    isClosed.store(true, ordering: .releasing)
    let released = lock.withLock {
      let released = (subscriber, upstream)
      subscriber = nil
      upstream = nil
      return released
    }
    outbox.removeAll()
    released.1?.cancel()
    withExtendedLifetime(released) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    close()
  }
}

/// Hands what it receives to a carrier.
@usableFromInline
@frozen
struct CarrierStage<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let carrier: Carrier<Element, Failure>

  @inlinable @inline(__always)
  init(carrier: Carrier<Element, Failure>) {
    self.carrier = carrier
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    carrier.put(.value(value))
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    carrier.put(.completion(completion))
  }

  @inlinable
  var isDone: Bool { carrier.isClosed.load(ordering: .acquiring) }
}

extension CarrierStage: IndirectStep {
  var next: Any? { carrier.lock.withLock { carrier.subscriber }?.inside }
}
