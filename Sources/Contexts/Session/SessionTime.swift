public import Foundation
import Signals

/// The time by which sessions expire: a wall clock with an alarm.
public struct SessionTime: Sendable {
  let read: @Sendable () -> Date
  /// Returns the seconds since a fixed moment, measured by a monotonic clock.
  let elapsed: @Sendable () -> TimeInterval
  let makeAlarm: @Sendable (_ ring: @escaping @Sendable () -> Void) -> any SessionAlarm

  /// The wall clock of the system.
  public static let system = SessionTime(clock: ContinuousClock()) { Date() }

  /// Creates a time that follows a clock, such as a test clock.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - date: The initial date of the wall clock.
  public init<C: Clock>(clock: C, startingAt date: Date) where C.Duration == Duration {
    let beginning = clock.now
    self.init(clock: clock) { date.addingTimeInterval(beginning.duration(to: clock.now).inSeconds) }
  }

  private init<C: Clock>(clock: C, _ read: @escaping @Sendable () -> Date) where C.Duration == Duration {
    self.read = read
    let beginning = clock.now
    elapsed = { beginning.duration(to: clock.now).inSeconds }
    makeAlarm = { ClockAlarm(clock: clock, ring: $0) }
  }

  /// The current date of the wall clock.
  public var now: Date { read() }
}

/// An alarm that fires once, after a time that can be changed until then.
protocol SessionAlarm: Sendable {
  func set(after interval: TimeInterval)
  func unset()
  func stop()
}

private final class ClockAlarm<C: Clock>: SessionAlarm where C.Duration == Duration {
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

  func set(after interval: TimeInterval) {
    // The limit of about a century keeps the number of nanoseconds representable.
    alarm.set(clock.now.advanced(by: .seconds(min(max(0, interval), 3_000_000_000))))
  }

  func unset() {
    alarm.unset()
  }

  func stop() {
    alarm.stop()
  }
}
