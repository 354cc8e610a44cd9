import Foundation
import Synchronization

/// A hybrid logical clock: the time of day, but later than every event that its process has appended or read before.
///
/// It orders the events of several producers such that no effect precedes its cause, even if the system's clock is set
/// back.
final class LogClock: Sendable {
  /// The maximum distance of a followed time into the future.
  ///
  /// A time beyond it would set the clock ahead permanently, so it is ignored.
  private static let horizon: UInt64 = 24 * 60 * 60 * 1_000_000_000

  /// Nanoseconds since 1970.
  private let last = Atomic<UInt64>(0)

  /// Returns a time after all times that the clock has returned or observed.
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

  /// Moves the clock past the time of an event from another process.
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
