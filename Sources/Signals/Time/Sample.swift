extension Signal {
  /// Sends the latest value whenever another signal sends, unless that value has already been sent.
  ///
  /// When either signal finishes, a waiting value is sent, and then the result finishes. When either signal fails, the
  /// result fails at once, and a waiting value is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let position = Emitter<Int, Never>()
  /// let frame = Emitter<Void, Never>()
  /// let subscription = position.sample(by: frame).sink { print($0) }
  /// for place in 1...3 { position.send(place) }
  /// frame.send()  // Prints "3"
  /// frame.send()
  /// position.send(4)
  /// frame.send()  // Prints "4"
  /// ```
  ///
  /// Values are delivered on the thread on which the other signal sends, in order.
  ///
  /// - Parameter sampler: The signal that triggers a sample. Its values are ignored.
  /// - Returns: A signal of the samples.
  @inlinable @inline(__always)
  public func sample<Sampler: Signal>(
    by sampler: Sampler
  ) -> some Signal<Element, Failure> where Sampler.Failure == Failure {
    combined(with: sampler, SampleBy())
  }
}

@usableFromInline
struct SampleBy<First: Sendable, Second: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline typealias Output = First

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  func makeState() -> First? { nil }

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.state = value
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    if let value = hub.state.take() { hub.core.deliver(value) }
  }

  @inlinable
  func receive(firstCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    hub.finish(completion, after: hub.state.take())
  }

  @inlinable
  func receive(secondCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    receive(firstCompletion: completion, hub)
  }
}

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
    every interval: Duration, clock: C = ContinuousClock()
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    timed(SampleEvery(interval: interval, clock: clock))
  }
}

@usableFromInline
struct SampleEvery<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator
where TimeSource.Duration == Duration {
  @usableFromInline let interval: Duration
  @usableFromInline let clock: TimeSource

  @inlinable @inline(__always)
  init(interval: Duration, clock: TimeSource) {
    (self.interval, self.clock) = (interval, clock)
  }

  @inlinable @inline(__always)
  func makeState() -> (grid: TimeGrid<TimeSource.Instant>, pending: Input?) {
    (TimeGrid(start: clock.now, interval: interval), nil)
  }

  @inlinable
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    let last = hub.state.pending
    hub.state.pending = value
    if let deadline = hub.deadline, now < deadline { return }
    // The interval of the previous value has ended, although the alarm has not rung for it yet.
    hub.wait(until: hub.state.grid.next(after: now))
    if let last { hub.core.deliver(last) }
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if let value = hub.state.pending.take() { hub.core.deliver(value) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.finish(completion, after: hub.state.pending.take())
  }
}
