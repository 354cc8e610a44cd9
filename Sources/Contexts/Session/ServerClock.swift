import FileSignals
import Foundation
import Signals

/// The time by which sessions expire: the server's time if it is known, otherwise the device's.
///
/// After the server has given its time, a monotonic clock continues it.
struct ServerClock: Sendable {
  private let time: SessionTime
  private var told: (date: Date, reading: Duration)?

  init(_ time: SessionTime) {
    self.time = time
  }

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
