extension Signal {
  /// Sends each value, and the end, some time later.
  ///
  /// The order stays, and so do the times between the values. A failure is not delayed: it passes at once, and drops
  /// the values that wait.
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
  /// Values arrive on a thread of the clock: with most clocks, one of those that tasks share.
  ///
  /// - Parameters:
  ///   - interval: How much later.
  ///   - clock: What measures it.
  /// - Returns: A signal of the same values, later.
  @inlinable @inline(__always)
  public func delay<C: Clock>(
    for interval: Duration,
    clock: C = ContinuousClock()
  ) -> DelaySignal<Self, C> where C.Duration == Duration {
    DelaySignal(upstream: self, interval: interval, clock: clock)
  }
}

/// A signal that comes later; made by ``Signal/delay(for:clock:)``.
@frozen
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

  /// Attaches a subscriber to the upstream signal, behind a queue of its own.
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

  /// What waits, each until when; no value is the end.
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
