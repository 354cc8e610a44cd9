import Foundation

/// The time by which sessions expire: that of the server if it has told it, or else that of this device.
///
/// It goes on from what the server told with a clock that nobody sets.
struct ServerClock: Sendable {
  private let time: SessionTime
  private var told: (date: Date, reading: TimeInterval)?

  init(_ time: SessionTime) {
    self.time = time
  }

  /// The moment.
  var now: Date {
    guard let told else { return time.now }
    return told.date.addingTimeInterval(time.elapsed() - told.reading)
  }

  /// Notes that the server has issued a session just now, by its clock.
  mutating func set(to date: Date) {
    told = (date, time.elapsed())
  }
}
