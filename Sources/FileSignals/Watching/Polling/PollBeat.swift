import Dispatch
import Signals

/// A timer that polls for all observers with the same interval at the same time, so that the processor can sleep in
/// between.
///
/// It runs only while there is an observer.
package final class PollBeat: Sendable {
  private static let registry = Guarded<[Duration: PollBeat]>([:])

  /// The number of intervals with a running timer.
  package static var beatingCount: Int {
    let beats = registry.withLock { Array($0.values) }
    return beats.count { beat in beat.state.withLock { $0.isBeating } }
  }

  /// Returns the timer of an interval.
  ///
  /// It stays registered when it has no observer left, because a process uses few intervals.
  static func every(_ interval: Duration) -> PollBeat {
    registry.withLock { registry in
      if let beat = registry[interval] { return beat }
      let beat = PollBeat(interval)
      registry[interval] = beat
      return beat
    }
  }

  private struct Member {
    weak let watch: PathChanges?
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    var isBeating = false
  }

  private let interval: DispatchTimeInterval
  private let queue = DispatchQueue(label: "org.signals.poll-beat", qos: .utility)
  private let state = Guarded(State())

  private init(_ interval: Duration) {
    let (seconds, attoseconds) = interval.components
    // The limit of about a century prevents an overflow.
    self.interval = .nanoseconds(Int(min(seconds, 4_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// Adds an observer, which is polled from the next beat on.
  func add(_ watch: PathChanges) {
    state.withLock { state in
      state.members[ObjectIdentifier(watch)] = Member(watch: watch)
      guard !state.isBeating else { return }
      state.isBeating = true
      schedule()
    }
  }

  /// Removes an observer, which may be polled once more.
  func remove(_ watch: ObjectIdentifier) {
    state.withLock { $0.members[watch] = nil }
  }

  private func schedule() {
    queue.asyncAfter(deadline: .now() + interval) { [self] in beat() }
  }

  private func beat() {
    let watches = state.withLock { state in
      let watches = state.members.values.compactMap(\.watch)
      state.isBeating = !state.members.isEmpty
      if state.isBeating { schedule() }
      return watches
    }
    // Outside the lock, because this loop may release the last reference to a watch.
    for watch in watches { watch.poll() }
  }
}
