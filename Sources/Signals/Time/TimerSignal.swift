/// A signal that ticks at equal intervals.
///
/// Each subscription is a timer of its own:
///
/// - **Start:** The timer starts with the subscription. Its first tick comes one interval later.
/// - **Drift:** Ticks do not drift. Every tick is due a whole number of intervals after the start, however late the
///   previous one was.
/// - **Missed ticks:** If the subscriber is busy when ticks are due, they are skipped and not sent later in a burst.
///   The next tick is the first one that is still in the future.
/// - **Value:** The value of a tick is the instant at which it was due.
///
/// ```swift
/// import Signals
/// import SignalsTesting
///
/// let clock = TestClock()
/// let subscription = TimerSignal(every: .seconds(10), clock: clock).sink { print("tick", $0) }
/// clock.advance(by: .seconds(25))
/// // Prints "tick 10.0 seconds"
/// // Prints "tick 20.0 seconds"
/// ```
///
/// Where the context expects a signal, you can write `.timer(every:)`. Ticks are delivered on a thread of the clock,
/// for most clocks a thread of the concurrency pool. An interval that is not positive counts as one nanosecond.
public struct TimerSignal<C: Clock>: Signal where C.Duration == Duration {
  /// The instant at which a tick was due.
  public typealias Element = C.Instant

  /// `Never`: a timer cannot fail.
  ///
  /// It does not finish either.
  public typealias Failure = Never

  private let interval: Duration
  private let clock: C

  /// Creates a signal that ticks at equal intervals of a clock.
  ///
  /// - Parameters:
  ///   - interval: The time before the first tick and between ticks.
  ///   - clock: The clock that measures the interval; by default one that continues while the machine sleeps.
  public init(every interval: Duration, clock: C = ContinuousClock()) {
    (self.interval, self.clock) = (interval, clock)
  }

  /// Starts a timer for a subscriber.
  public func subscribe(_ subscriber: some SignalSubscriber<C.Instant, Never>) -> SignalSubscription {
    TimedHub(Timer(interval: interval, clock: clock)).open(for: subscriber)
  }
}

extension Signal where Self == TimerSignal<ContinuousClock> {
  /// Returns a signal that ticks at equal intervals.
  ///
  /// - Parameter interval: The time before the first tick and between ticks.
  /// - Returns: A ``TimerSignal``.
  public static func timer(every interval: Duration) -> Self {
    TimerSignal(every: interval)
  }
}

extension Signal {
  /// Returns a signal that ticks at equal intervals of a clock.
  ///
  /// - Parameters:
  ///   - interval: The time before the first tick and between ticks.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A ``TimerSignal``.
  public static func timer<C: Clock>(every interval: Duration, clock: C) -> Self where Self == TimerSignal<C> {
    TimerSignal(every: interval, clock: clock)
  }
}

/// The operator of a timer: it receives nothing, and sends each deadline.
private struct Timer<TimeSource: Clock>: TimedOperator where TimeSource.Duration == Duration {
  typealias Input = Never
  typealias Failure = Never
  typealias Output = TimeSource.Instant

  let interval: Duration
  let clock: TimeSource

  func makeState() -> TimeGrid<TimeSource.Instant> { TimeGrid(start: clock.now, interval: interval) }

  func begin(_ hub: TimedHub<Self>) {
    hub.wait(until: hub.state.next(after: hub.state.start))
  }

  func receive(_ value: Never, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {}

  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.core.deliver(deadline)
    hub.wait(until: hub.state.next(after: max(deadline, clock.now)))
  }
}

/// Instants at equal intervals, without drift.
@usableFromInline
struct TimeGrid<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
  @usableFromInline let start: Instant
  private let interval: Duration

  /// Creates a grid.
  ///
  /// An interval that is not positive counts as the shortest one, a nanosecond.
  @usableFromInline
  init(start: Instant, interval: Duration) {
    self.start = start
    self.interval = max(interval, .nanoseconds(1))
  }

  /// Returns the first instant of the grid after a given one; missed instants are skipped.
  @usableFromInline
  func next(after instant: Instant) -> Instant {
    let passed = start.duration(to: instant)
    guard passed >= .zero else { return start.advanced(by: interval) }
    let step = interval.attoseconds
    return start.advanced(by: Duration(attoseconds: (passed.attoseconds / step + 1) * step))
  }
}
