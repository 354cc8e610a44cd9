extension Signal {
  /// Sends values for a limited time, and then finishes.
  ///
  /// The time begins with the subscription. A value that arrives exactly at the end is not sent. At the end, the
  /// upstream signal is cancelled.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let marbles = Marbles()
  /// let readings = marbles.values("a-b-c-d-e")
  /// print(marbles.diagram(of: readings.prefix(for: .seconds(4), clock: marbles.clock)))
  /// // Prints "a-b-|"
  /// ```
  ///
  /// Values are delivered on the thread that sends them, and the completion on a thread of the clock. Cancelling
  /// removes the deadline from the clock.
  ///
  /// - Parameters:
  ///   - duration: The length of the time. If it is not positive, the signal finishes at once and does not subscribe.
  ///   - clock: The clock that measures the time.
  /// - Returns: A signal of the values that arrive in time. It ends earlier if this signal does.
  /// - Complexity: O(1) for each value, without an allocation. Each value reads the clock.
  @inlinable @inline(__always)
  public func prefix<C: Clock>(
    for duration: Duration,
    clock: C = ContinuousClock()
  ) -> PrefixForSignal<Self, C> where C.Duration == Duration {
    PrefixForSignal(upstream: self, duration: duration, clock: clock)
  }
}

/// A signal that finishes after a limited time; the result of ``Signal/prefix(for:clock:)``.
public struct PrefixForSignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let duration: Duration
  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(upstream: Upstream, duration: Duration, clock: C) {
    self.upstream = upstream
    self.duration = duration
    self.clock = clock
  }

  /// Starts the time and attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    guard duration > .zero else { return EmptySignal().subscribe(subscriber) }
    let hub = PrefixForHub<Element, Failure, C>(duration: duration, clock: clock)
    let subscription = hub.open(for: subscriber)
    // First, because the upstream signal may send without end.
    hub.begin()
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    return subscription
  }
}

@usableFromInline
final class PrefixForHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<Element, Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: immutable, except for the state that the superclass guards.
  @usableFromInline let end: C.Instant

  @usableFromInline
  init(duration: Duration, clock: C) {
    end = clock.now.advanced(by: duration)
    super.init(clock: clock)
  }

  @usableFromInline
  func begin() {
    core.withTurn { [self] in wait(until: end) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let isInTime = clock.now < end
    core.withTurn { [self] in pass(value, isInTime) }
  }

  @inlinable
  func pass(_ value: Element, _ isInTime: Bool) {
    if isInTime { core.deliver(value) } else { finish(.finished) }
  }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    finish(.finished)
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in finish(completion) }
  }
}
