package import Foundation
import Signals

/// A wall clock, which may be set back, together with the monotonic clock that measures durations and rings alarms.
package struct WallTime: Sendable {
  private let read: @Sendable () -> Date
  private let measure: @Sendable () -> Duration
  private let make: @Sendable (_ ring: @escaping @Sendable () -> Void) -> any WallAlarm

  /// The wall clock of the system, and the clock that also advances while the system sleeps.
  package static let system = WallTime(clock: ContinuousClock()) { Date() }

  /// Creates a time that follows a clock, such as a test clock.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - date: The initial date of the wall clock.
  package init<C: Clock>(clock: C, startingAt date: Date) where C.Duration == Duration {
    let beginning = clock.now
    self.init(clock: clock) { date.addingTimeInterval(beginning.duration(to: clock.now).inSeconds) }
  }

  /// Creates a time from a monotonic clock and a wall clock that are independent of each other.
  package init<C: Clock>(clock: C, _ read: @escaping @Sendable () -> Date) where C.Duration == Duration {
    self.read = read
    let beginning = clock.now
    measure = { beginning.duration(to: clock.now) }
    make = { ClockAlarm(clock: clock, ring: $0) }
  }

  /// The current date of the wall clock.
  package var now: Date { read() }

  /// The time since a fixed moment, measured by the monotonic clock.
  package var elapsed: Duration { measure() }

  /// Returns an alarm that calls a closure, and that stops when it is released.
  package func alarm(_ ring: @escaping @Sendable () -> Void) -> any WallAlarm { make(ring) }
}

/// An alarm that rings once, after a time that can be changed until then.
package protocol WallAlarm: Sendable {
  func set(after pause: Duration)
  func unset()
  func stop()
}

private final class ClockAlarm<C: Clock>: WallAlarm where C.Duration == Duration {
  private let clock: C
  private let alarm: Alarm<C>

  init(clock: C, ring: @escaping @Sendable () -> Void) {
    self.clock = clock
    alarm = Alarm(clock: clock)
    alarm.start { _ in ring() }
  }

  deinit {
    alarm.stop()
  }

  func set(after pause: Duration) {
    // The limit of about a century keeps the number of nanoseconds representable.
    alarm.set(clock.now.advanced(by: min(max(.zero, pause), .seconds(3_000_000_000))))
  }

  func unset() {
    alarm.unset()
  }

  func stop() {
    alarm.stop()
  }
}
