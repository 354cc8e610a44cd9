public import Signals

/// A clock whose time passes only when a test says so.
///
/// Give it to operators that work with time, and advance it: everything that is due happens within the call, in the
/// order of time and, at one instant, in the order in which it was scheduled.
///
/// ```swift
/// import Signals
/// import SignalsTesting
///
/// let clock = TestClock()
/// let words = Emitter<String, Never>()
/// let subscription = words.debounce(for: .seconds(2), clock: clock).sink { print($0) }
/// words.send("si")
/// clock.advance(by: .seconds(1))
/// words.send("signal")
/// clock.advance(by: .seconds(1))
/// print("not yet")
/// clock.advance(by: .seconds(1))
/// // Prints "not yet"
/// // Prints "signal"
/// ```
///
/// Code that awaits the clock, with `clock.sleep(for:)`, is woken by it too; advance the clock with `await` then, so
/// that the tasks that wake up get to run. Any thread may use the clock.
public final class TestClock: SchedulingClock {
  /// A moment on a test clock: how long after the clock's beginning it is.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock's beginning.
    public var offset: Duration

    /// Makes a moment.
    ///
    /// - Parameter offset: The time since the clock's beginning.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// The moment that is `duration` later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// The time from this moment to another.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether one moment is before another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }

    /// The time since the clock's beginning, in words.
    public var description: String { "\(offset)" }
  }

  let agenda: Agenda

  /// Makes a clock that stands still.
  ///
  /// - Parameter now: The first moment.
  public init(now: Instant = Instant()) {
    agenda = Agenda(now: now)
  }

  /// The current moment; inside something that is due, the moment it was due at.
  public var now: Instant { agenda.now }

  /// The smallest step of the clock: there is none too small.
  public var minimumResolution: Duration { .zero }

  /// How many things are due in the future: actions, and tasks that sleep.
  public var scheduledCount: Int { agenda.count }

  /// Does something at an instant, once, within the call that advances the clock to it.
  ///
  /// - Parameters:
  ///   - deadline: When to do it; if that is not in the future, the next call that advances the clock does it.
  ///   - action: What to do; it may schedule more, which is done in the same call if it is due.
  /// - Returns: A token; the action is not called any more once it has been cancelled or released.
  public func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> SignalSubscription {
    let key = agenda.add(at: deadline, .action(action))
    return SignalSubscription { [weak agenda] in agenda?.remove(key) }
  }

  // MARK: Advancing

  /// Lets time pass, doing all that is due meanwhile.
  ///
  /// In an asynchronous function, `await clock.advance(by:)` also lets the tasks that are woken run.
  ///
  /// - Parameter duration: How much time; if it is not positive, only what is due already is done.
  public func advance(by duration: Duration) {
    advance(to: now.advanced(by: duration))
  }

  /// Lets time pass until a moment, doing all that is due until then, that moment included.
  ///
  /// - Parameter deadline: The moment; time does not go backwards if it has passed.
  public func advance(to deadline: Instant) {
    while let event = agenda.next(until: deadline) { event() }
    agenda.move(to: deadline)
  }

  /// Lets time pass until nothing is due any more.
  ///
  /// - Parameter limit: How many things to do at most, since a timer never runs out.
  /// - Returns: Whether nothing is left.
  @discardableResult
  public func run(limit: Int = 100_000) -> Bool {
    var count = 0
    while count < limit, let event = agenda.next(until: nil) {
      event()
      count += 1
    }
    return agenda.count == 0
  }
}
