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
    for interval: Duration, latest: Bool, clock: C = ContinuousClock()
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    timed(Throttle(interval: interval, latest: latest, clock: clock))
  }
}

@usableFromInline
struct Throttle<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator
where TimeSource.Duration == Duration {
  @usableFromInline let interval: Duration
  @usableFromInline let latest: Bool
  @usableFromInline let clock: TimeSource

  @inlinable @inline(__always)
  init(interval: Duration, latest: Bool, clock: TimeSource) {
    (self.interval, self.latest, self.clock) = (interval, latest, clock)
  }

  /// The end of the current interval, and the value that waits for it.
  @inlinable @inline(__always)
  func makeState() -> (end: TimeSource.Instant?, pending: Input?) { (nil, nil) }

  @inlinable
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if let end = hub.state.end, now < end {
      guard latest else { return }
      hub.state.pending = value
      if hub.deadline == nil { hub.wait(until: end) }
    } else {
      // The alarm may be about to ring for a waiting value; the new value replaces it.
      hub.rest()
      let replaced = hub.state.pending.take()
      hub.state.end = now.advanced(by: interval)
      hub.core.deliver(value)
      withExtendedLifetime(replaced) {}
    }
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    guard let value = hub.state.pending.take() else { return }
    hub.state.end = clock.now.advanced(by: interval)
    hub.core.deliver(value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.finish(completion, after: hub.state.pending.take())
  }
}
