/// The object at which the inner signals of one subscription meet.
@usableFromInline
protocol FlatteningHub: SubscriptionOwner, InputReceiver {
  /// The element of the upstream signal: an inner signal, or a value from which one is made.
  associatedtype Outer: Sendable

  /// The core that sends to the subscriber.
  var core: EmitterCore<Input, InputFailure> { get }

  /// A Boolean value that indicates whether the subscriber needs no more values.
  var isDone: Bool { get }

  /// Keeps the subscription to the upstream signal.
  func keep(_ subscription: SignalSubscription)

  func receive(outer value: Outer)
  func receive(outerCompletion completion: SignalCompletion<InputFailure>)
}

/// A signal of the values of inner signals.
@usableFromInline
struct FlattenedSignal<Upstream: Signal, Hub: FlatteningHub>: Signal
where Hub.Outer == Upstream.Element, Hub.InputFailure == Upstream.Failure {
  @usableFromInline typealias Element = Hub.Input
  @usableFromInline typealias Failure = Hub.InputFailure

  @usableFromInline let upstream: Upstream
  @usableFromInline let makeHub: @Sendable () -> Hub

  @inlinable @inline(__always)
  init(_ upstream: Upstream, _ makeHub: @escaping @Sendable () -> Hub) {
    (self.upstream, self.makeHub) = (upstream, makeHub)
  }

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let hub = makeHub()
    let subscription = hub.core.subscribe(subscriber)
    subscription.bind(hub)
    hub.keep(upstream.subscribe(OuterInput(hub)))
    return subscription
  }
}

/// The subscriber of the upstream signal.
@usableFromInline
struct OuterInput<Hub: FlatteningHub>: SignalSubscriber {
  @usableFromInline let hub: Hub

  @inlinable @inline(__always)
  init(_ hub: Hub) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Hub.Outer) {
    hub.receive(outer: value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Hub.InputFailure>) {
    hub.receive(outerCompletion: completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
