/// Where the values of one subscription meet the alarm of an operator that waits.
///
/// Its core's turn makes one order of what the upstream signal sends and of what time brings, from whatever threads.
/// All state of subclasses belongs to the turn.
@usableFromInline
class TimedHub<Output: Sendable, Failure: Error, C: Clock>: SubscriptionOwner, @unchecked Sendable
where C.Duration == Duration {
  // Sound: `deadline` belongs to the core's turn.
  @usableFromInline final let core = EmitterCore<Output, Failure>()
  @usableFromInline final let upstreams = Upstreams()
  @usableFromInline final let clock: C
  @usableFromInline final let alarm: Alarm<C>

  /// What is waited for; it tells the ring of a deadline that was moved in the last moment from one that holds.
  @exclusivity(unchecked) @usableFromInline final var deadline: C.Instant?

  @usableFromInline
  init(clock: C) {
    self.clock = clock
    alarm = Alarm(clock: clock)
  }

  /// Takes in the one subscriber, and makes the token that ends it all.
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

  /// Does what was waited for; with the turn.
  @usableFromInline
  func expire(_ deadline: C.Instant) {}

  /// Waits until a deadline, and no longer for the one before; with the turn.
  @inlinable @inline(__always)
  final func wait(until deadline: C.Instant) {
    self.deadline = deadline
    alarm.set(deadline)
  }

  /// Waits for nothing any more; with the turn.
  @usableFromInline
  final func rest() {
    guard deadline != nil else { return }
    deadline = nil
    alarm.unset()
  }

  /// Whether nobody takes values any more.
  @usableFromInline
  final var isDone: Bool { upstreams.isCancelled || core.isDone }

  /// Ends the signal on both sides; with the turn.
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

/// What a hub does with its upstream signal.
@usableFromInline
protocol TimedInput<Input, InputFailure>: AnyObject, Sendable {
  associatedtype Input: Sendable
  associatedtype InputFailure: Error

  /// Whether nobody takes values any more.
  var isDone: Bool { get }

  func receive(_ value: Input)
  func receive(completion: SignalCompletion<InputFailure>)
}

/// Hands what it receives to a hub.
@usableFromInline
@frozen
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
