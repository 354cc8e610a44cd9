import FileSignals
public import Foundation
import Signals

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

/// The time by which sessions expire: the server's time if it is known, otherwise the device's.
///
/// After the server has given its time, a monotonic clock continues it.
struct ServerClock: Sendable {
  let time: SessionTime
  private(set) var told: (date: Date, reading: Duration)?

  /// The current time.
  var now: Date {
    guard let told else { return time.now }
    return told.date.addingTimeInterval((time.wall.elapsed - told.reading).inSeconds)
  }

  /// Sets the clock to the time at which the server has just issued a session.
  mutating func set(to date: Date) {
    told = (date, time.wall.elapsed)
  }
}
