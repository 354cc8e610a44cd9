/// Where the inputs of one subscription to an operator with several of them meet.
///
/// Its core's turn makes one order of what the inputs send, from whatever threads.
@usableFromInline
protocol InputHub: AnyObject, Sendable {
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// What sends to the subscriber.
  var core: EmitterCore<Output, Failure> { get }

  /// The subscriptions to the inputs.
  var upstreams: Upstreams { get }
}

extension InputHub {
  /// Attaches the one subscriber, and returns the token that ends the whole subscription.
  @inlinable @inline(__always)
  func open(for subscriber: some SignalSubscriber<Output, Failure>) -> SignalSubscription {
    let subscription = core.subscribe(subscriber)
    subscription.bind(upstreams)
    return subscription
  }

  /// Subscribes to an input, unless the subscription is over already.
  @inlinable @inline(__always)
  func attach<Input: Signal>(
    _ stage: @autoclosure () -> some SignalSubscriber<Input.Element, Input.Failure>, to input: Input
  ) {
    if !upstreams.isCancelled { upstreams.add(input.subscribe(stage())) }
  }

  /// Attaches the one subscriber and subscribes to a list of inputs, in order; ends at once if there are none.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - inputs: The inputs.
  ///   - stage: Makes the stage behind an input, from its place in the list.
  /// - Returns: The token that ends the whole subscription.
  func open<Input: Signal>(
    for subscriber: some SignalSubscriber<Output, Failure>, with inputs: [Input],
    _ stage: (Int) -> some SignalSubscriber<Input.Element, Input.Failure>
  ) -> SignalSubscription {
    let subscription = open(for: subscriber)
    if inputs.isEmpty { core.end(.finished) }
    for (index, input) in inputs.enumerated() { attach(stage(index), to: input) }
    return subscription
  }

  /// Whether nobody takes values any more.
  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || core.isDone }

  /// Ends the signal on both sides; for the holder of the turn.
  @usableFromInline
  func finish(_ completion: SignalCompletion<Failure>) {
    upstreams.cancelAll()
    core.finish(completion)
  }

  /// Ends the signal on both sides, now or when the turn's holder comes to it.
  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in finish(completion) }
  }
}
