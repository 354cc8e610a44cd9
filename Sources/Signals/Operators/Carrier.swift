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

  /// What waits.
  @exclusivity(unchecked) @usableFromInline var letters: [Letter] = []

  /// The storage of the last delivery, used again for the next.
  @exclusivity(unchecked) @usableFromInline var spare: [Letter] = []

  /// Whether work is scheduled or running.
  @exclusivity(unchecked) @usableFromInline var isUnderWay = false

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

  /// Takes a letter in, and sends for it unless somebody is under way.
  @inlinable @inline(__always)
  func put(_ letter: Letter) {
    lock.lock()
    guard subscriber != nil else { return lock.unlock() }
    letters.append(letter)
    let mustSend = !isUnderWay
    isUnderWay = true
    lock.unlock()
    if mustSend { send() }
  }

  @usableFromInline
  func send() {
    let isPossible = schedule { [self] in deliver() }
    if !isPossible { close() }
  }

  /// Delivers what waits, and sends once more if more came meanwhile.
  @inlinable
  func deliver() {
    lock.lock()
    let subscriber = subscriber
    var batch = letters
    letters = spare
    spare = []
    lock.unlock()
    if let subscriber {
      for letter in batch where !isClosed.load(ordering: .acquiring) {
        switch letter {
        case .value(let value): subscriber.receive(value)
        case .completion(let completion):
          subscriber.receive(completion: completion)
          close()
        }
      }
    }
    // A burst must not cost memory for ever.
    if batch.capacity > 1024 { batch = [] } else { batch.removeAll(keepingCapacity: true) }
    lock.lock()
    spare = batch
    isUnderWay = !letters.isEmpty
    let mustSend = isUnderWay
    lock.unlock()
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
      let released = (subscriber, letters, upstream)
      subscriber = nil
      letters = []
      upstream = nil
      return released
    }
    released.2?.cancel()
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
