extension Signal {
  /// Sends a value after no other value has followed it for an interval.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let clock = TestClock()
  /// let query = Emitter<String, Never>()
  /// let search = query.debounce(for: .milliseconds(300), clock: clock).sink { print("searching", $0) }
  /// for text in ["s", "si", "sig"] {
  ///   query.send(text)
  ///   clock.advance(by: .milliseconds(100))
  /// }
  /// clock.advance(by: .milliseconds(200))  // Prints "searching sig"
  /// ```
  ///
  /// A value that arrives exactly when the previous one would be sent still replaces it. When the signal finishes, a
  /// waiting value is sent at once, before the completion. A failure is passed on at once, and a waiting value is
  /// dropped.
  ///
  /// Values are delivered on a thread of the clock, for most clocks a thread of the concurrency pool. Postponing the
  /// deadline needs neither an allocation nor a task per value. A value that is sent at once is delivered on the thread
  /// that sends it.
  ///
  /// - Parameters:
  ///   - interval: The length of the silence that must follow a value. If it is not positive,
  ///     each value is sent at once.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of the values that precede a silence.
  @inlinable @inline(__always)
  public func debounce<C: Clock>(
    for interval: Duration, clock: C = ContinuousClock()
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    timed(Debounce(interval: interval, clock: clock))
  }
}

@usableFromInline
struct Debounce<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator
where TimeSource.Duration == Duration {
  @usableFromInline let interval: Duration
  @usableFromInline let clock: TimeSource

  @inlinable @inline(__always)
  init(interval: Duration, clock: TimeSource) {
    (self.interval, self.clock) = (interval, clock)
  }

  @inlinable @inline(__always)
  func makeState() -> Input? { nil }

  @inlinable @inline(__always)
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if interval <= .zero { return hub.core.deliver(value) }
    hub.state = value
    hub.wait(until: now.advanced(by: interval))
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if let value = hub.state.take() { hub.core.deliver(value) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.finish(completion, after: hub.state.take())
  }
}
