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
