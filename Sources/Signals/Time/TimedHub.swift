/// The object at which the values of one subscription meet the alarm of a time-based operator.
///
/// The turn of its core puts the upstream values and the alarms into one order, whatever their threads. All state of
/// subclasses belongs to the turn.
@usableFromInline
class TimedHub<Output: Sendable, Failure: Error, C: Clock>: SubscriptionOwner, @unchecked Sendable
where C.Duration == Duration {
  // Sound: `deadline` belongs to the core's turn.
  @usableFromInline final let core = EmitterCore<Output, Failure>()
  @usableFromInline final let upstreams = Upstreams()
  @usableFromInline final let clock: C
  @usableFromInline final let alarm: Alarm<C>

  /// The current deadline.
  ///
  /// A ring for any other deadline is ignored, because that deadline was moved at the last moment.
  @exclusivity(unchecked) @usableFromInline final var deadline: C.Instant?

  @usableFromInline
  init(clock: C) {
    self.clock = clock
    alarm = Alarm(clock: clock)
  }

  /// Attaches the only subscriber and returns the token that ends the whole subscription.
  @inlinable @inline(__always)
  final func open(for subscriber: some SignalSubscriber<Output, Failure>) -> SignalSubscription {
    start()
    let subscription = core.subscribe(subscriber)
    subscription.bind(self)
    return subscription
  }

  @usableFromInline
  final func start() {
    alarm.start { [self] rung in
      core.withTurn { [self] in
        guard deadline == rung else { return }
        deadline = nil
        expire(rung)
      }
    }
  }

  /// Called when the deadline has passed.
  ///
  /// The caller holds the turn.
  @usableFromInline
  func expire(_ deadline: C.Instant) {}

  /// Sets a deadline, which replaces the previous one.
  ///
  /// The caller holds the turn.
  @inlinable @inline(__always)
  final func wait(until deadline: C.Instant) {
    self.deadline = deadline
    alarm.set(deadline)
  }

  /// Removes the deadline.
  ///
  /// The caller holds the turn.
  @usableFromInline
  final func rest() {
    guard deadline != nil else { return }
    deadline = nil
    alarm.unset()
  }

  /// A Boolean value that indicates whether the subscriber needs no more values.
  @usableFromInline
  final var isDone: Bool { upstreams.isCancelled || core.isDone }

  /// Cancels the upstream signal and the alarm, and sends the completion.
  ///
  /// The caller holds the turn.
  @usableFromInline
  final func finish(_ completion: SignalCompletion<Failure>) {
    deadline = nil
    close()
    core.finish(completion)
  }

  private final func close() {
    alarm.stop()
    upstreams.cancelAll()
  }

  package final override func cancel(_ subscription: SignalSubscription) {
    close()
  }
}

/// The part of a hub that its upstream signal calls.
@usableFromInline
protocol TimedInput<Input, InputFailure>: AnyObject, Sendable {
  associatedtype Input: Sendable
  associatedtype InputFailure: Error

  /// A Boolean value that indicates whether the subscriber needs no more values.
  var isDone: Bool { get }

  func receive(_ value: Input)
  func receive(completion: SignalCompletion<InputFailure>)
}

/// A subscriber that passes everything it receives to a hub.
@usableFromInline
struct TimedStage<Hub: TimedInput>: SignalSubscriber {
  @usableFromInline typealias Element = Hub.Input
  @usableFromInline typealias Failure = Hub.InputFailure

  @usableFromInline let hub: Hub

  @inlinable @inline(__always)
  init(hub: Hub) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.receive(completion: completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
