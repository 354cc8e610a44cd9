/// The object at which the inputs of one subscription to an operator with several inputs meet.
///
/// The turn of its core puts the values of all inputs into one order, whatever threads send them.
@usableFromInline
protocol InputHub: AnyObject, Sendable {
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// The core that sends to the subscriber.
  var core: EmitterCore<Output, Failure> { get }

  /// The subscriptions to the inputs.
  var upstreams: Upstreams { get }

  /// Attaches the only subscriber and returns the token that ends the whole subscription.
  func open(for subscriber: some SignalSubscriber<Output, Failure>) -> SignalSubscription

  /// Cancels the inputs and sends the completion.
  ///
  /// The caller holds the turn.
  func finish(_ completion: SignalCompletion<Failure>)
}

extension InputHub {
  @inlinable @inline(__always)
  func open(for subscriber: some SignalSubscriber<Output, Failure>) -> SignalSubscription {
    let subscription = core.subscribe(subscriber)
    subscription.bind(upstreams)
    return subscription
  }

  /// Subscribes to an input, unless no more values are needed.
  @inlinable @inline(__always)
  func attach<Input: Signal>(
    _ stage: @autoclosure () -> some SignalSubscriber<Input.Element, Input.Failure>, to input: Input
  ) {
    if !isDone { upstreams.add(input.subscribe(stage())) }
  }

  /// Subscribes to a list of inputs in order; if the list is empty, the signal finishes at once.
  ///
  /// - Parameters:
  ///   - inputs: The inputs.
  ///   - stage: A closure that returns the subscriber of an input, given its index in the list.
  @inlinable
  func attach<Input: Signal>(
    all inputs: [Input], _ stage: (Int) -> some SignalSubscriber<Input.Element, Input.Failure>
  ) {
    if inputs.isEmpty { core.end(.finished) }
    for (index, input) in inputs.enumerated() { attach(stage(index), to: input) }
  }

  /// A Boolean value that indicates whether the subscriber needs no more values.
  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || core.isDone }

  @usableFromInline
  func finish(_ completion: SignalCompletion<Failure>) {
    upstreams.cancelAll()
    core.finish(completion)
  }

  /// Delivers the last value, unless the signal fails, and then sends the completion.
  ///
  /// The caller holds the turn.
  @inlinable
  func finish(_ completion: SignalCompletion<Failure>, after last: Output?) {
    if let last, case .finished = completion { core.deliver(last) }
    finish(completion)
  }

  /// Cancels the inputs and sends the completion, now or as soon as the thread that holds the turn gets to it.
  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in finish(completion) }
  }
}

/// A signal of which each subscription has a hub, the object at which its inputs meet.
@usableFromInline
struct HubSignal<Hub: InputHub>: Signal {
  @usableFromInline typealias Element = Hub.Output
  @usableFromInline typealias Failure = Hub.Failure

  /// A function that attaches the subscriber to a hub and then calls a function that attaches the inputs.
  @usableFromInline typealias Open = (_ hub: Hub, _ attach: () -> Void) -> SignalSubscription

  /// Creates a hub, and opens it with the function given.
  @usableFromInline let start: @Sendable (_ open: Open) -> SignalSubscription

  @inlinable @inline(__always)
  init(_ start: @escaping @Sendable (_ open: Open) -> SignalSubscription) {
    self.start = start
  }

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    start { hub, attach in
      let subscription = hub.open(for: subscriber)
      attach()
      return subscription
    }
  }
}

/// An object that several signals send to, or one of them after another.
@usableFromInline
protocol InputReceiver: AnyObject, Sendable {
  associatedtype Input: Sendable
  associatedtype InputFailure: Error

  /// A key that distinguishes an input from the others.
  associatedtype Key: Sendable = Void

  func receive(_ value: Input, from key: Key)
  func receive(completion: SignalCompletion<InputFailure>, from key: Key)

  /// Returns a Boolean value that indicates whether no more values of an input are needed.
  func isDone(_ key: Key) -> Bool
}

/// The subscriber of one input.
@usableFromInline
struct HubInput<Hub: InputReceiver>: SignalSubscriber {
  @usableFromInline let hub: Hub
  @usableFromInline let key: Hub.Key

  @inlinable @inline(__always)
  init(_ hub: Hub, _ key: Hub.Key) {
    (self.hub, self.key) = (hub, key)
  }

  @inlinable @inline(__always)
  func receive(_ value: Hub.Input) {
    hub.receive(value, from: key)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Hub.InputFailure>) {
    hub.receive(completion: completion, from: key)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone(key) }
}

extension HubInput where Hub.Key == Void {
  @inlinable @inline(__always)
  init(_ hub: Hub) {
    self.init(hub, ())
  }
}

extension HubInput: OperatorStep, IndirectStep {
  var operation: Hub { hub }

  var next: Any? { (hub as? any IndirectStep)?.next }
}
