/// A signal that ticks at equal intervals.
///
/// Each subscription is a timer of its own. It begins with the subscription, ticks for the first time one interval
/// later, and does not drift: every tick is a whole number of intervals after the beginning, however late the one
/// before was. A tick that the subscriber is too busy for is skipped, rather than made up for in a burst: after a late
/// tick, the next is the first that still lies in the future. The value is the moment for which the tick was meant.
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
/// Where a signal is expected, `.timer(every:)` means the same. Ticks arrive on a thread of the clock: with most
/// clocks, one of those that tasks share. An interval that is not positive counts as one nanosecond.
public struct TimerSignal<C: Clock>: Signal where C.Duration == Duration {
  /// The moment for which a tick was meant.
  public typealias Element = C.Instant

  /// A timer does not fail; nor does it end.
  public typealias Failure = Never

  private let interval: Duration
  private let clock: C

  /// Makes a signal that ticks.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, and before the first.
  ///   - clock: What measures it.
  public init(every interval: Duration, clock: C) {
    self.interval = interval
    self.clock = clock
  }

  /// Starts a timer for a subscriber.
  public func subscribe<Subscriber: SignalSubscriber<C.Instant, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = TimerHub(interval: interval, clock: clock)
    let subscription = hub.open(for: subscriber)
    hub.begin()
    return subscription
  }
}

extension TimerSignal where C == ContinuousClock {
  /// Makes a signal that ticks, and goes on while the machine sleeps.
  ///
  /// - Parameter interval: The time between two ticks, and before the first.
  public init(every interval: Duration) {
    self.init(every: interval, clock: ContinuousClock())
  }
}

extension Signal where Self == TimerSignal<ContinuousClock> {
  /// A signal that ticks at equal intervals.
  ///
  /// - Parameter interval: The time between two ticks, and before the first.
  /// - Returns: A ``TimerSignal``.
  public static func timer(every interval: Duration) -> Self {
    TimerSignal(every: interval)
  }
}

extension Signal {
  /// A signal that ticks at equal intervals of a clock.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, and before the first.
  ///   - clock: What measures it.
  /// - Returns: A ``TimerSignal``.
  public static func timer<C: Clock>(every interval: Duration, clock: C) -> Self where Self == TimerSignal<C> {
    TimerSignal(every: interval, clock: clock)
  }
}

final class TimerHub<C: Clock>: TimedHub<C.Instant, Never, C>, @unchecked Sendable where C.Duration == Duration {
  // Sound: immutable, but for what its superclass guards.
  private let grid: TimeGrid<C.Instant>
  private let beginning: C.Instant

  init(interval: Duration, clock: C) {
    beginning = clock.now
    grid = TimeGrid(start: beginning, interval: interval)
    super.init(clock: clock)
  }

  func begin() {
    core.withTurn { [self] in wait(until: grid.next(after: beginning)) }
  }

  override func expire(_ deadline: C.Instant) {
    core.deliver(deadline)
    wait(until: grid.next(after: max(deadline, clock.now)))
  }
}
