extension Signal {
  /// Delivers each value, and the normal completion, after a delay.
  ///
  /// The order of the values and the intervals between them are preserved. A failure is not delayed: it is passed on at
  /// once, and waiting values are dropped.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let marbles = Marbles()
  /// print(marbles.diagram(of: marbles.values("ab-c|").delay(for: .seconds(2), clock: marbles.clock)))
  /// // Prints "--ab-c|"
  /// ```
  ///
  /// Values are delivered on a thread of the clock, for most clocks a thread of the concurrency pool.
  ///
  /// - Parameters:
  ///   - interval: The length of the delay. If it is not positive, each value is sent at once.
  ///   - clock: The clock that measures the delay.
  /// - Returns: A signal of the same values, delayed.
  @inlinable @inline(__always)
  public func delay<C: Clock>(
    for interval: Duration,
    clock: C = ContinuousClock()
  ) -> DelaySignal<Self, C> where C.Duration == Duration {
    DelaySignal(upstream: self, interval: interval, clock: clock)
  }
}

/// A delayed signal; the result of ``Signal/delay(for:clock:)``.
public struct DelaySignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
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

  /// Attaches a subscriber to the upstream signal, with a queue of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = DelayHub<Element, Failure, C>(interval: interval, clock: clock)
    let subscription = hub.open(for: subscriber)
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    return subscription
  }
}

@usableFromInline
final class DelayHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<Element, Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: the state belongs to the core's turn.
  @usableFromInline let interval: Duration

  /// The waiting values, each with its deadline; `nil` marks the completion.
  @exclusivity(unchecked) @usableFromInline var waiting = RingBuffer<(value: Element?, due: C.Instant)>()

  @usableFromInline
  init(interval: Duration, clock: C) {
    self.interval = interval
    super.init(clock: clock)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    put(value)
  }

  @inlinable @inline(__always)
  func put(_ value: Element?) {
    let due = clock.now.advanced(by: interval)
    core.withTurn { [self] in keep(value, until: due) }
  }

  @inlinable
  func keep(_ value: Element?, until due: C.Instant) {
    guard !core.hasEnded else { return }
    waiting.append((value, due))
    if deadline == nil { wait(until: due) }
  }

  private var next: C.Instant? { waiting.first?.due }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    let now = clock.now
    while let next, next <= now, let first = waiting.popFirst() {
      guard let value = first.value else { return finish(.finished) }
      core.deliver(value)
    }
    if let next { wait(until: next) }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    guard case .failure = completion else { return put(nil) }
    core.withTurn { [self] in
      waiting = RingBuffer()
      finish(completion)
    }
  }
}
