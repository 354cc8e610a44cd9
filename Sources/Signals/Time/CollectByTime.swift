extension Signal {
  /// Sends the values of each interval as one array.
  ///
  /// The first interval begins with the subscription, and each interval begins when the previous one ends. An interval
  /// without values sends nothing and causes no wake-up. A value that arrives exactly at the end of an interval belongs
  /// to the next one. This operator corresponds to Combine's `collect(.byTime(…))`.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let marbles = Marbles()
  /// let events = marbles.values("ab-c----d-e|")
  /// print(marbles.diagram(of: events.collect(every: .seconds(3), clock: marbles.clock).map { $0.joined() }))
  /// // Prints "---'ab'--c--d-[e|]"
  /// ```
  ///
  /// When the signal finishes, waiting values are sent at once, before the completion. A failure is passed on at once,
  /// and waiting values are dropped. Arrays are delivered on a thread of the clock, for most clocks a thread of the
  /// concurrency pool.
  ///
  /// With a `count`, no array has more than that number of values. A full array is sent at once, on the thread that
  /// sends the last of its values. This corresponds to Combine's `collect(.byTimeOrCount(…))`.
  ///
  /// - Parameters:
  ///   - interval: The length of an interval. An interval that is not positive counts as one nanosecond.
  ///   - count: The maximum number of values in an array; a number below 1 counts as 1. The default is no limit.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of non-empty arrays.
  @inlinable @inline(__always)
  public func collect<C: Clock>(
    every interval: Duration, upTo count: Int = .max, clock: C = ContinuousClock()
  ) -> some Signal<[Element], Failure> where C.Duration == Duration {
    timed(CollectByTime(interval: interval, count: count, clock: clock))
  }
}

@usableFromInline
struct CollectByTime<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator
where TimeSource.Duration == Duration {
  @usableFromInline typealias Output = [Input]

  @usableFromInline let interval: Duration
  @usableFromInline let count: Int
  @usableFromInline let clock: TimeSource

  @inlinable @inline(__always)
  init(interval: Duration, count: Int, clock: TimeSource) {
    (self.interval, self.count, self.clock) = (interval, count, clock)
  }

  @inlinable @inline(__always)
  func makeState() -> (grid: TimeGrid<TimeSource.Instant>, values: [Input]) {
    (TimeGrid(start: clock.now, interval: interval), [])
  }

  @inlinable
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    // If the alarm is about to ring for the waiting values, the new value is not one of them.
    if let deadline = hub.deadline, deadline <= now { flush(hub) }
    hub.state.values.append(value)
    if hub.state.values.count >= count {
      flush(hub)
    } else if hub.deadline == nil {
      hub.wait(until: hub.state.grid.next(after: now))
    }
  }

  @inlinable
  func flush(_ hub: TimedHub<Self>) {
    hub.rest()
    if !hub.state.values.isEmpty { hub.core.deliver(exchange(&hub.state.values, with: [])) }
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    flush(hub)
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    if case .finished = completion { flush(hub) }
    hub.state.values = []
    hub.finish(completion)
  }
}
