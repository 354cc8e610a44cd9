import FileSignals
import Foundation
import Signals

/// An alarm for the ends of a provider's overrides, with a time that never goes back.
///
/// It rings at each end, and at least once a minute while there is a later one, because the wall clock may be set
/// forward. The time follows the wall clock when that is set forward, and continues with the monotonic clock when it is
/// set back. Across launches, a stored mark keeps it from going back.
final class OverrideExpiry: Sendable {
  private struct State {
    /// The latest time, and the reading of the monotonic clock at that time.
    var date: Date
    var elapsed: Duration
    var alarm: (any WallAlarm)?

    /// The time of the last ring.
    var rung = Date.distantPast
  }

  private let time: TweakTime
  private let state: Guarded<State>

  private static let longestPause = Duration.seconds(60)

  init(time: TweakTime) {
    self.time = time
    state = Guarded(State(date: time.now, elapsed: time.wall.elapsed))
  }

  deinit {
    state.withLock { $0.alarm }?.stop()
  }

  /// Sets the closure that the alarm calls.
  func start(_ ring: @escaping @Sendable () -> Void) {
    let alarm = time.wall.alarm(ring)
    state.withLock { $0.alarm = alarm }
  }

  /// The current time, which never goes back.
  var now: Date {
    let (wall, elapsed) = (time.now, time.wall.elapsed)
    return state.withLock { state in
      let continued = state.date.addingTimeInterval((elapsed - state.elapsed).inSeconds)
      state.elapsed = elapsed
      state.date = max(state.date, wall, continued)
      return state.date
    }
  }

  /// Returns the current time at the beginning of a ring.
  func ring() -> Date {
    let now = now
    state.withLock { $0.rung = now }
    return now
  }

  /// Returns a Boolean value that indicates whether an end has come.
  func hasPassed(_ end: Date?) -> Bool { end.map { $0 <= now } ?? false }

  /// A closure that leaves out an override whose end has come.
  var check: TweakTable.Check { { [self] tweak in hasPassed(tweak.expiration) ? nil : tweak } }

  /// Advances the time to a stored mark.
  func raise(to mark: Date) {
    state.withLock { $0.date = max($0.date, mark) }
  }

  /// Sets the alarm to the earliest of some ends, or removes it if there is none.
  ///
  /// An end that has come since the last ring is rung for at once. An earlier one is rung for again after a minute, for a
  /// removal that failed.
  func follow(_ ends: some Sequence<Date>) {
    let now = now
    let (alarm, rung) = state.withLock { ($0.alarm, $0.rung) }
    let rests = ends.map { $0 > rung ? max(0, $0.timeIntervalSince(now)) : Self.longestPause.inSeconds }
    guard let rest = rests.min() else {
      alarm?.unset()
      return
    }
    alarm?.set(after: .seconds(min(rest, Self.longestPause.inSeconds)))
  }
}
