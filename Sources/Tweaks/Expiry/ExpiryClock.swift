import Foundation
import Signals

/// A clock for the ends of overrides, which never goes back.
///
/// It continues with the monotonic clock when the wall clock is set back, and follows the wall clock when that is set
/// forward. Across launches, a stored mark keeps it from going back.
struct ExpiryClock: Sendable {
  private var date: Date
  private var elapsed: Duration

  init(startingAt date: Date, elapsed: Duration) {
    self.date = date
    self.elapsed = elapsed
  }

  /// Advances the clock to a stored mark, unless it is already later.
  mutating func raise(to mark: Date) {
    date = max(date, mark)
  }

  /// Returns the current time of the clock.
  ///
  /// - Parameters:
  ///   - wall: The date of the wall clock.
  ///   - elapsed: The time of the monotonic clock.
  /// - Returns: The time, which is never before an earlier result.
  mutating func now(wall: Date, elapsed: Duration) -> Date {
    let continued = date.addingTimeInterval((elapsed - self.elapsed).inSeconds)
    self.elapsed = elapsed
    date = max(date, max(wall, continued))
    return date
  }
}
