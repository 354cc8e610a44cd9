/// An operator on the values of a signal and the passing of time.
///
/// The turn of the hub puts values and deadlines into one order, whatever their threads. All methods are called with
/// it, and not after the end.
@usableFromInline
protocol TimedOperator<Input, Output, Failure>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable = Input
  associatedtype Failure: Error
  associatedtype TimeSource: Clock where TimeSource.Duration == Duration

  /// The state of the operator in one subscription.
  associatedtype State

  /// The clock that measures time.
  var clock: TimeSource { get }

  /// Creates the state of a subscription that begins now.
  func makeState() -> State

  /// Begins a subscription, before the upstream signal is subscribed to.
  func begin(_ hub: TimedHub<Self>)

  /// Continues after the upstream signal has been subscribed to.
  func didSubscribe(_ hub: TimedHub<Self>)

  /// Receives the next value.
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>)

  /// Receives the deadline that the hub was told to wait for.
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>)

  /// Receives the completion.
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>)
}

extension TimedOperator {
  @inlinable @inline(__always)
  func begin(_ hub: TimedHub<Self>) {}

  @inlinable @inline(__always)
  func didSubscribe(_ hub: TimedHub<Self>) {}

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.finish(completion)
  }
}

extension Signal {
  /// Applies a time-based operator to the signal.
  @inlinable @inline(__always)
  func timed<Operator: TimedOperator>(_ operation: Operator) -> some Signal<Operator.Output, Failure>
  where Operator.Input == Element, Operator.Failure == Failure {
    HubSignal { open in
      let hub = TimedHub(operation)
      return open(hub) {
        hub.attach(HubInput(hub), to: self)
        hub.didSubscribe()
      }
    }
  }
}

/// The object at which the values of one subscription meet the alarm of a time-based operator.
@usableFromInline
final class TimedHub<Operator: TimedOperator>: InputHub, InputReceiver, @unchecked Sendable {
  // Sound: `state` and `deadline` belong to the core's turn.
  @usableFromInline typealias Instant = Operator.TimeSource.Instant

  @usableFromInline let operation: Operator
  @usableFromInline let core = EmitterCore<Operator.Output, Operator.Failure>()
  @usableFromInline let upstreams = Upstreams()
  @usableFromInline let alarm: Alarm<Operator.TimeSource>

  @exclusivity(unchecked) @usableFromInline var state: Operator.State

  /// The current deadline.
  ///
  /// A ring for any other deadline is ignored, because that deadline was moved at the last moment.
  @exclusivity(unchecked) @usableFromInline var deadline: Instant?

  @inlinable
  init(_ operation: Operator) {
    self.operation = operation
    state = operation.makeState()
    alarm = Alarm(clock: operation.clock)
  }

  @inlinable @inline(__always)
  func open(for subscriber: some SignalSubscriber<Operator.Output, Operator.Failure>) -> SignalSubscription {
    start()
    let subscription = core.subscribe(subscriber)
    // Not to the hub, which holds the operator's closures until the signal has ended.
    subscription.bind(upstreams)
    subscription.bind(alarm)
    core.withTurn { [self] in operation.begin(self) }
    return subscription
  }

  @inlinable
  func start() {
    alarm.start { [self] rung in
      core.withTurn { [self] in
        guard deadline == rung else { return }
        deadline = nil
        operation.expire(rung, self)
      }
    }
  }

  /// Tells the operator that the upstream signal has been subscribed to.
  @inlinable @inline(__always)
  func didSubscribe() {
    core.withTurn { [self] in if !core.hasEnded { operation.didSubscribe(self) } }
  }

  @inlinable @inline(__always)
  func receive(_ value: Operator.Input, from key: Void) {
    let now = operation.clock.now
    core.withTurn { [self] in if !core.hasEnded { operation.receive(value, at: now, self) } }
  }

  @inlinable
  func receive(completion: SignalCompletion<Operator.Failure>, from key: Void) {
    let now = operation.clock.now
    core.withTurn { [self] in if !core.hasEnded { operation.receive(completion: completion, at: now, self) } }
  }

  // MARK: For the operator, which holds the turn

  /// Sets a deadline, which replaces the previous one.
  @inlinable @inline(__always)
  func wait(until deadline: Instant) {
    self.deadline = deadline
    alarm.set(deadline)
  }

  /// Removes the deadline.
  @usableFromInline
  func rest() {
    guard deadline != nil else { return }
    deadline = nil
    alarm.unset()
  }

  /// Cancels the upstream signal and the alarm, and sends the completion.
  @usableFromInline
  func finish(_ completion: SignalCompletion<Operator.Failure>) {
    deadline = nil
    alarm.stop()
    upstreams.cancelAll()
    core.finish(completion)
  }

  @usableFromInline
  func isDone(_ key: Void) -> Bool { isDone }
}

extension TimedHub: OperatorStep {}
