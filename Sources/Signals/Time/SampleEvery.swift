extension Signal {
  /// Sends, at the end of each interval, the latest value of that interval.
  ///
  /// The first interval begins with the subscription, and each interval begins when the previous one ends. An interval
  /// without a value sends nothing and causes no wake-up. A value that arrives exactly at the end of an interval
  /// belongs to the next one.
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
  /// When the signal finishes, a waiting value is sent at once, before the completion. A failure is passed on at once,
  /// and a waiting value is dropped. Values are delivered on a thread of the clock, for most clocks a thread of the
  /// concurrency pool.
  ///
  /// - Parameters:
  ///   - interval: The time between two samples. An interval that is not positive counts as one nanosecond.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of at most one value per interval.
  @inlinable @inline(__always)
  public func sample<C: Clock>(
    every interval: Duration,
    clock: C = ContinuousClock()
  ) -> SampleEverySignal<Self, C> where C.Duration == Duration {
    SampleEverySignal(upstream: self, interval: interval, clock: clock)
  }
}

/// A signal of the latest value of each interval; the result of ``Signal/sample(every:clock:)``.
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

  /// Attaches a subscriber to the upstream signal, with intervals of its own.
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

  /// The waiting value.
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
    // The interval of the previous value has ended, although the alarm has not rung for it yet.
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
