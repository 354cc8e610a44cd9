import Dispatch
import Signals

/// Calls all who poll at the same interval at the same time, so that the processor sleeps in between.
///
/// It has a timer only while somebody polls.
package final class PollBeat: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  private static let registryLock = Lock()
  nonisolated(unsafe) private static var registry: [Duration: PollBeat] = [:]  // Sound: guarded by its lock.

  /// How many intervals are being counted, by a timer each.
  package static var beatingCount: Int {
    let beats = registryLock.withLock { Array(registry.values) }
    return beats.count { beat in beat.lock.withLock { beat.isBeating } }
  }

  /// The beat of an interval; there are as many as intervals in use, which are few.
  static func every(_ interval: Duration) -> PollBeat {
    registryLock.withLock {
      if let beat = registry[interval] { return beat }
      let beat = PollBeat(interval)
      registry[interval] = beat
      return beat
    }
  }

  private struct Member {
    weak var watch: PathChanges?
  }

  private let interval: DispatchTimeInterval
  private let queue = DispatchQueue(label: "org.signals.poll-beat", qos: .utility)
  private let lock = Lock()
  private var members: [ObjectIdentifier: Member] = [:]
  private var isBeating = false

  private init(_ interval: Duration) {
    let (seconds, attoseconds) = interval.components
    // Longer than a century is never, and must not overflow.
    self.interval = .nanoseconds(Int(min(seconds, 4_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// Begins to call somebody, from the next beat on.
  func add(_ watch: PathChanges) {
    lock.withLock {
      members[ObjectIdentifier(watch)] = Member(watch: watch)
      guard !isBeating else { return }
      isBeating = true
      schedule()
    }
  }

  /// Stops calling somebody, who may be called once more.
  func remove(_ watch: ObjectIdentifier) {
    lock.withLock { members[watch] = nil }
  }

  private func schedule() {
    queue.asyncAfter(deadline: .now() + interval) { [self] in beat() }
  }

  private func beat() {
    let watches = lock.withLock {
      let watches = members.values.compactMap(\.watch)
      isBeating = !members.isEmpty
      if isBeating { schedule() }
      return watches
    }
    // With no lock held, because this may be what releases a watch at last.
    for watch in watches { watch.poll() }
  }
}
