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
    for duration: Duration, clock: C = ContinuousClock()
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    timed(PrefixFor(duration: duration, clock: clock))
  }
}

@usableFromInline
struct PrefixFor<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator
where TimeSource.Duration == Duration {
  @usableFromInline let duration: Duration
  @usableFromInline let clock: TimeSource

  @inlinable @inline(__always)
  init(duration: Duration, clock: TimeSource) {
    (self.duration, self.clock) = (duration, clock)
  }

  /// The end.
  @inlinable @inline(__always)
  func makeState() -> TimeSource.Instant { clock.now.advanced(by: duration) }

  // Before the upstream signal is subscribed to, because that may send without end.
  @inlinable
  func begin(_ hub: TimedHub<Self>) {
    if duration > .zero { hub.wait(until: hub.state) } else { hub.finish(.finished) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if now < hub.state { hub.core.deliver(value) } else { hub.finish(.finished) }
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.finish(.finished)
  }
}
