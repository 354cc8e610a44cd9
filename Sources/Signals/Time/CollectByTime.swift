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
  /// - Parameters:
  ///   - interval: The length of an interval. An interval that is not positive counts as one nanosecond.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of non-empty arrays.
  @inlinable @inline(__always)
  public func collect<C: Clock>(
    every interval: Duration,
    clock: C = ContinuousClock()
  ) -> CollectByTimeSignal<Self, C> where C.Duration == Duration {
    CollectByTimeSignal(upstream: self, interval: interval, count: .max, clock: clock)
  }

  /// Sends the values of each interval as one array, or earlier if the array is full.
  ///
  /// This operator works like ``collect(every:clock:)``, but no array has more than `count` values. A full array is
  /// sent at once, on the thread that sends the last of its values. It corresponds to Combine's
  /// `collect(.byTimeOrCount(…))`.
  ///
  /// - Parameters:
  ///   - interval: The length of an interval. An interval that is not positive counts as one nanosecond.
  ///   - count: The maximum number of values in an array; a number below 1 counts as 1.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of non-empty arrays.
  @inlinable @inline(__always)
  public func collect<C: Clock>(
    every interval: Duration,
    upTo count: Int,
    clock: C = ContinuousClock()
  ) -> CollectByTimeSignal<Self, C> where C.Duration == Duration {
    CollectByTimeSignal(upstream: self, interval: interval, count: count, clock: clock)
  }
}

/// A signal of the values of each interval; the result of ``Signal/collect(every:clock:)``.
public struct CollectByTimeSignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// An array of values of the upstream signal, in order.
  public typealias Element = [Upstream.Element]

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Duration
  @usableFromInline let count: Int
  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(upstream: Upstream, interval: Duration, count: Int, clock: C) {
    self.upstream = upstream
    self.interval = interval
    self.count = count
    self.clock = clock
  }

  /// Attaches a subscriber to the upstream signal, with intervals of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = CollectByTimeHub<Upstream.Element, Failure, C>(interval: interval, count: count, clock: clock)
    let subscription = hub.open(for: subscriber)
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    return subscription
  }
}

@usableFromInline
final class CollectByTimeHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<[Element], Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: the state belongs to the core's turn.
  @usableFromInline let grid: TimeGrid<C.Instant>
  @usableFromInline let count: Int

  /// The waiting values.
  @exclusivity(unchecked) @usableFromInline var values: [Element] = []

  @usableFromInline
  init(interval: Duration, count: Int, clock: C) {
    grid = TimeGrid(start: clock.now, interval: interval)
    self.count = count
    super.init(clock: clock)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let now = clock.now
    core.withTurn { [self] in keep(value, at: now) }
  }

  @inlinable
  func keep(_ value: Element, at now: C.Instant) {
    guard !core.hasEnded else { return }
    // If the alarm is about to ring for the waiting values, the new value is not one of them.
    if let deadline, deadline <= now { flush() }
    values.append(value)
    if values.count >= count {
      flush()
    } else if deadline == nil {
      wait(until: grid.next(after: now))
    }
  }

  @usableFromInline
  func flush() {
    rest()
    guard !values.isEmpty else { return }
    let group = values
    values = []
    core.deliver(group)
  }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    flush()
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      if case .finished = completion { flush() }
      values = []
      finish(completion)
    }
  }
}
