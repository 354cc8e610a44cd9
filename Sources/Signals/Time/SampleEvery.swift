extension Signal {
  /// Sends, at the end of each interval, the latest value that came in it.
  ///
  /// Intervals follow one another from the subscription on; one without a value sends nothing and wakes nobody. A value
  /// that comes at the very end of an interval belongs to the next.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let marbles = Marbles()
  /// let position = marbles.values("abcdefg-------h|")
  /// print(marbles.diagram(of: position.sample(every: .seconds(3), clock: marbles.clock)))
  /// // Prints "---c--f--g-----[h|]"
  /// ```
  ///
  /// When the signal finishes, the value that waits is sent at once, before the end; a failure passes at once and drops
  /// it. Values arrive on a thread of the clock: with most clocks, one of those that tasks share.
  ///
  /// - Parameters:
  ///   - interval: The time between two samples; one that is not positive counts as a nanosecond.
  ///   - clock: What measures it.
  /// - Returns: A signal of at most one value per interval.
  @inlinable @inline(__always)
  public func sample<C: Clock>(
    every interval: Duration,
    clock: C = ContinuousClock()
  ) -> SampleEverySignal<Self, C> where C.Duration == Duration {
    SampleEverySignal(upstream: self, interval: interval, clock: clock)
  }
}

/// A signal of the latest value of each interval; made by ``Signal/sample(every:clock:)``.
@frozen
public struct SampleEverySignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Duration
  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(upstream: Upstream, interval: Duration, clock: C) {
    self.upstream = upstream
    self.interval = interval
    self.clock = clock
  }

  /// Attaches a subscriber to the upstream signal, behind intervals of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = SampleEveryHub<Element, Failure, C>(interval: interval, clock: clock)
    let subscription = hub.open(for: subscriber)
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    return subscription
  }
}

@usableFromInline
final class SampleEveryHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<Element, Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: the state belongs to the core's turn.
  @usableFromInline let grid: TimeGrid<C.Instant>

  /// The value that waits.
  @exclusivity(unchecked) @usableFromInline var pending: Element?

  @usableFromInline
  init(interval: Duration, clock: C) {
    grid = TimeGrid(start: clock.now, interval: interval)
    super.init(clock: clock)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let now = clock.now
    core.withTurn { [self] in keep(value, at: now) }
  }

  @inlinable
  func keep(_ value: Element, at now: C.Instant) {
    guard !core.hasEnded else { return }
    let last = pending
    pending = value
    if let deadline, now < deadline { return }
    // The interval of the value before is over, though the alarm has not rung for it yet.
    wait(until: grid.next(after: now))
    if let last { core.deliver(last) }
  }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    if let value = pending.take() { core.deliver(value) }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      let value = pending.take()
      if let value, case .finished = completion { core.deliver(value) }
      finish(completion)
    }
  }
}
