import Dispatch
import Signals

/// A rule that determines when an observer polls for changes.
///
/// The system reports changes that are made on this machine. It does not report changes that other machines make on a
/// network file system such as NFS. Nor does it report changes that a host makes to a file system it shares with a
/// guest, such as virtiofs or 9p. Such file systems must be polled. A poll costs one system call for a file, and one
/// for each entry of a directory. It is therefore limited to where it is needed: while nothing is polled, there is no
/// timer.
@nonexhaustive
public enum WatchPolling: Sendable, Hashable {
  /// Polls only if the system does not report changes, or cannot because one of its limits is reached.
  ///
  /// ``WatchHealth`` reports this. An interval below one millisecond counts as one millisecond.
  case automatic(every: Duration)

  /// Polls always, and does not use the system's events. An interval below one millisecond counts as one millisecond.
  case always(every: Duration)

  /// Never polls.
  ///
  /// If a limit of the system is reached, creating an observer throws an error, and an existing observer is impaired.
  /// Changes by other machines are not detected.
  case never

  /// Polls only where needed, every two seconds.
  ///
  /// Desktop environments poll about as often, and the load on a network server stays small.
  public static let automatic = WatchPolling.automatic(every: .seconds(2))

  /// The reason for which an observer polls.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// Polling was requested.
    case requested

    /// The file system is of this type, and other systems may change it without notifying this one.
    case fileSystem(String)

    /// The system allows no more watches.
    ///
    /// The observer tries again at each poll, and stops polling when it succeeds.
    case limit(FileObserverError)
  }

  /// The polling interval, at least a millisecond; `nil` if the observer never polls.
  var interval: Duration? {
    switch self {
    case .automatic(let interval), .always(let interval): max(interval, .milliseconds(1))
    case .never: nil
    }
  }

  /// A Boolean value that indicates whether the system's events are not used.
  var isForced: Bool {
    if case .always = self { true } else { false }
  }
}

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
