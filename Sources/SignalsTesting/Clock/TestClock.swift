public import Signals

/// A clock whose time advances only when a test advances it.
///
/// Pass it to operators that work with time, and then advance it. Everything that is due happens within that call, in
/// the order of time. Events for the same instant happen in the order in which they were scheduled.
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
/// The clock also wakes code that awaits `clock.sleep(for:)`. In that case, advance the clock with `await`, so that the
/// tasks that wake up can run. Any thread may use the clock.
public final class TestClock: SchedulingClock {
  /// An instant of a test clock: the time since the clock's origin.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock's origin.
    public var offset: Duration

    /// Creates an instant.
    ///
    /// - Parameter offset: The time since the clock's origin.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// Returns the instant that is `duration` later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Returns the duration from this instant to another.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Returns a Boolean value that indicates whether one instant is before another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }

    /// The time since the clock's origin, as text.
    public var description: String { "\(offset)" }
  }

  let agenda: Agenda

  /// Creates a clock that stands still.
  ///
  /// - Parameter now: The first instant.
  public init(now: Instant = Instant()) {
    agenda = Agenda(now: now)
  }

  /// The current instant; during a scheduled event, the instant for which it was scheduled.
  public var now: Instant { agenda.now }

  /// The smallest step of the clock; zero, because every step is possible.
  public var minimumResolution: Duration { .zero }

  /// The number of scheduled actions and sleeping tasks.
  public var scheduledCount: Int { agenda.count }

  /// Schedules an action to run once, within the call that advances the clock to an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant. If it is not in the future, the next call that advances the clock runs the action.
  ///   - action: The action. It may schedule further actions, which run in the same call if they are due.
  /// - Returns: A token. After it has been cancelled or released, the action does not run any more.
  public func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> SignalSubscription {
    let key = agenda.add(at: deadline, .action(action))
    return SignalSubscription { [weak agenda] in agenda?.remove(key) }
  }

  // MARK: Advancing

  /// Advances the time and runs everything that becomes due.
  ///
  /// In an asynchronous function, `await clock.advance(by:)` also lets the tasks that are woken run.
  ///
  /// - Parameter duration: The duration. If it is not positive, only events that are already due are run.
  public func advance(by duration: Duration) {
    advance(to: now.advanced(by: duration))
  }

  /// Advances the time to an instant, and runs everything that is due until then, including that instant.
  ///
  /// - Parameter deadline: The instant. If it has passed, the time does not go backwards.
  public func advance(to deadline: Instant) {
    while let event = agenda.next(until: deadline) { event() }
    agenda.move(to: deadline)
  }

  /// Advances the time until nothing is scheduled.
  ///
  /// - Parameter limit: The maximum number of events to run, since a timer never ends.
  /// - Returns: `true` if nothing is scheduled any more.
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

extension TestClock {
  /// Sleeps until the clock is advanced to an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant. If it is not in the future, this method returns at once.
  ///   - tolerance: Ignored, since the clock is exact.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let key = agenda.makeKey()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { agenda.sleep(until: deadline, key: key, $0) }
    } onCancel: {
      agenda.wake(key)
    }
  }

  /// Waits until a number of events are scheduled in the future, or until the task is cancelled.
  ///
  /// Scheduled actions and sleeping tasks both count as events.
  ///
  /// Call it before `advance(by:)` if a task that you started must be sleeping by then. Unlike any number of yields, it
  /// is reliable. Events that were scheduled before count, too: if an operator already waits, wait for one more. The
  /// wait has no time limit.
  ///
  /// - Parameter count: The number of events.
  public func waitUntilScheduled(_ count: Int = 1) async {
    let key = agenda.makeKey()
    await withTaskCancellationHandler {
      await withCheckedContinuation { agenda.watch(for: count, key: key, $0) }
    } onCancel: {
      agenda.dismiss(key)
    }
  }

  /// Advances the time, runs everything that becomes due, and lets the tasks that it wakes run.
  ///
  /// Before the first event and after each event, tasks can run until they wait again, so they can sleep again within
  /// the same call. Swift does not report when all tasks are waiting, so this method only gives them ample time. To be
  /// certain, call ``waitUntilScheduled(_:)``.
  ///
  /// - Parameter duration: The duration. If it is not positive, only events that are already due are run.
  public func advance(by duration: Duration) async {
    await settle()
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the time to an instant, runs everything that becomes due, and lets the tasks that it wakes run.
  ///
  /// - Parameter deadline: The instant. If it has passed, the time does not go backwards.
  public func advance(to deadline: Instant) async {
    await settle()
    while let event = agenda.next(until: deadline) {
      event()
      await settle()
    }
    agenda.move(to: deadline)
  }

  /// Advances the time until nothing is scheduled, and lets the tasks that it wakes run.
  ///
  /// - Parameter limit: The maximum number of events to run, since a timer never ends.
  /// - Returns: `true` if nothing is scheduled any more.
  @discardableResult
  public func run(limit: Int = 100_000) async -> Bool {
    await settle()
    var count = 0
    while count < limit, let event = agenda.next(until: nil) {
      event()
      count += 1
      await settle()
    }
    return agenda.count == 0
  }

  /// Lets the tasks that can run do so.
  private func settle() async {
    // Low-priority work runs after everything that is ready. Several rounds are needed, because one event may cause
    // another.
    for _ in 0..<10 {
      await Task.detached(priority: .background) { await Task.yield() }.value
    }
  }
}
