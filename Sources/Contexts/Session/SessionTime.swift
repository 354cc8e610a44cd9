import FileSignals
public import Foundation

/// The time by which sessions expire: a wall clock with an alarm.
public struct SessionTime: Sendable {
  let wall: WallTime

  /// The wall clock of the system.
  public static let system = SessionTime(wall: .system)

  /// Creates a time that follows a clock, such as a test clock.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - date: The initial date of the wall clock.
  public init<C: Clock>(clock: C, startingAt date: Date) where C.Duration == Duration {
    self.init(wall: WallTime(clock: clock, startingAt: date))
  }

  private init(wall: WallTime) {
    self.wall = wall
  }

  /// The current date of the wall clock.
  public var now: Date { wall.now }
}
