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
