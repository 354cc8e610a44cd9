import FileSignals
public import Foundation

/// The time by which values expire and servers are asked again: a wall clock, and a monotonic clock with alarms.
public struct TweakTime: Sendable {
  let wall: WallTime

  /// The clocks of the system.
  public static let system = TweakTime(wall: .system)

  /// Creates a time that follows a clock, such as a test clock.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - date: The initial date of the wall clock.
  public init<C: Clock>(clock: C, startingAt date: Date) where C.Duration == Duration {
    self.init(wall: WallTime(clock: clock, startingAt: date))
  }

  /// Creates a time whose wall clock is independent of its monotonic clock, so that a test can set it back.
  ///
  /// - Parameters:
  ///   - clock: The monotonic clock.
  ///   - date: A closure that returns the date of the wall clock.
  package init<C: Clock>(clock: C, date: @escaping @Sendable () -> Date) where C.Duration == Duration {
    self.init(wall: WallTime(clock: clock, date))
  }

  private init(wall: WallTime) {
    self.wall = wall
  }

  /// The current date of the wall clock.
  package var now: Date { wall.now }
}
