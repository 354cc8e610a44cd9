import Foundation
import Synchronization

/// A hybrid logical clock: the time of day, but each event is later than all that its process had made or seen before.
///
/// Events of several producers can be put in order by it, such that no effect comes before its cause, even if somebody
/// turns the system's clock back.
final class LogClock: Sendable {
  /// Times further ahead than this are not followed: they would take the clock along for ever.
  private static let horizon: UInt64 = 24 * 60 * 60 * 1_000_000_000

  /// Nanoseconds since 1970.
  private let last = Atomic<UInt64>(0)

  /// A time after all others.
  func next() -> UInt64 {
    let now = Self.now()
    var seen = last.load(ordering: .relaxed)
    while true {
      let next = max(now, seen + 1)
      let attempt = last.weakCompareExchange(expected: seen, desired: next, ordering: .relaxed)
      if attempt.exchanged { return next }
      seen = attempt.original
    }
  }

  /// Takes note of the time of an event that another process made.
  func observe(_ time: UInt64) {
    var seen = last.load(ordering: .relaxed)
    guard time > seen, time < Self.now() + Self.horizon else { return }
    while time > seen {
      let attempt = last.weakCompareExchange(expected: seen, desired: time, ordering: .relaxed)
      if attempt.exchanged { return }
      seen = attempt.original
    }
  }

  private static func now() -> UInt64 {
    UInt64(max(0, Date().timeIntervalSince1970) * 1e9)
  }
}
