extension Signal {
  /// Sends at most one value per interval.
  ///
  /// The first value is sent at once and opens an interval. If `latest` is `true`, the last value of the interval is
  /// sent at its end and opens the next interval. This also happens if the upstream signal has fallen silent. If
  /// `latest` is `false`, the values of an interval are dropped. A value that arrives after an interval, or exactly at
  /// its end, is sent at once, and replaces a waiting one.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let marbles = Marbles()
  /// let position = marbles.values("abcdefgh------i-j|")
  /// print(marbles.diagram(of: position.throttle(for: .seconds(3), latest: true, clock: marbles.clock)))
  /// // Prints "a--d--g--h----i--[j|]"
  /// ```
  ///
  /// When the signal finishes, a waiting value is sent at once, before the completion. A failure is passed on at once,
  /// and a waiting value is dropped.
  ///
  /// Values are delivered on the thread that sends or on a thread of the clock, in order. An interval without a value
  /// causes no wake-up.
  ///
  /// - Parameters:
  ///   - interval: The minimum time between two values. If it is not positive, each value is sent at once.
  ///   - latest: A Boolean value that determines whether the last value of an interval is sent at the end of the
  ///     interval.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of at most one value per interval.
  @inlinable @inline(__always)
  public func throttle<C: Clock>(
    for interval: Duration,
    latest: Bool,
    clock: C = ContinuousClock()
  ) -> ThrottleSignal<Self, C> where C.Duration == Duration {
    ThrottleSignal(upstream: self, interval: interval, latest: latest, clock: clock)
  }
}

/// A signal of at most one value per interval; the result of ``Signal/throttle(for:latest:clock:)``.
public struct ThrottleSignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Duration
  @usableFromInline let latest: Bool
  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(upstream: Upstream, interval: Duration, latest: Bool, clock: C) {
    self.upstream = upstream
    self.interval = interval
    self.latest = latest
    self.clock = clock
  }

  /// Attaches a subscriber to the upstream signal, with intervals of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = ThrottleHub<Element, Failure, C>(interval: interval, latest: latest, clock: clock)
    let subscription = hub.open(for: subscriber)
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    return subscription
  }
}

@usableFromInline
final class ThrottleHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<Element, Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: the state belongs to the core's turn.
  @usableFromInline let interval: Duration
  @usableFromInline let latest: Bool

  /// The end of the interval that the last sent value opened.
  @exclusivity(unchecked) @usableFromInline var end: C.Instant?

  /// The value that waits for the end of the interval.
  @exclusivity(unchecked) @usableFromInline var pending: Element?

  @usableFromInline
  init(interval: Duration, latest: Bool, clock: C) {
    self.interval = interval
    self.latest = latest
    super.init(clock: clock)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let now = clock.now
    core.withTurn { [self] in take(value, at: now) }
  }

  @inlinable
  func take(_ value: Element, at now: C.Instant) {
    guard !core.hasEnded else { return }
    if let end, now < end {
      guard latest else { return }
      pending = value
      if deadline == nil { wait(until: end) }
    } else {
      // The alarm may be about to ring for a waiting value; the new value replaces it.
      rest()
      let replaced = pending.take()
      end = now.advanced(by: interval)
      core.deliver(value)
      withExtendedLifetime(replaced) {}
    }
  }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    guard let value = pending.take() else { return }
    end = clock.now.advanced(by: interval)
    core.deliver(value)
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
