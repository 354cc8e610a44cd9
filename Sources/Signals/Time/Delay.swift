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
  /// Values are delivered on a thread of the clock, for most clocks a thread of the concurrency pool. A value that is
  /// sent at once is delivered on the thread that sends it.
  ///
  /// - Parameters:
  ///   - interval: The length of the delay. If it is not positive, each value and the completion are sent at once.
  ///   - clock: The clock that measures the delay.
  /// - Returns: A signal of the same values, delayed.
  @inlinable @inline(__always)
  public func delay<C: Clock>(
    for interval: Duration, clock: C = ContinuousClock()
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    timed(Delay(interval: interval, clock: clock))
  }
}

@usableFromInline
struct Delay<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator where TimeSource.Duration == Duration {
  @usableFromInline let interval: Duration
  @usableFromInline let clock: TimeSource

  @inlinable @inline(__always)
  init(interval: Duration, clock: TimeSource) {
    (self.interval, self.clock) = (interval, clock)
  }

  /// The values that wait, and when they are due; at the end a `nil`, if the signal has finished.
  @inlinable @inline(__always)
  func makeState() -> RingBuffer<(value: Input?, due: TimeSource.Instant)> { RingBuffer() }

  @inlinable @inline(__always)
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if interval <= .zero { return hub.core.deliver(value) }
    keep(value, until: now.advanced(by: interval), hub)
  }

  @inlinable
  func keep(_ value: Input?, until due: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.state.append((value, due))
    if hub.deadline == nil { hub.wait(until: due) }
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    let now = clock.now
    while let next = hub.state.first, next.due <= now {
      hub.state.popFirst()
      guard let value = next.value else { return hub.finish(.finished) }
      hub.core.deliver(value)
    }
    if let next = hub.state.first { hub.wait(until: next.due) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    guard interval > .zero else { return hub.finish(completion) }
    guard case .failure = completion else { return keep(nil, until: now.advanced(by: interval), hub) }
    hub.state = RingBuffer()
    hub.finish(completion)
  }
}
