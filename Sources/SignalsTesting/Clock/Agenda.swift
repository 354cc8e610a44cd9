import Signals

/// The events that are scheduled on a test clock.
final class Agenda: Sendable {
  typealias Instant = TestClock.Instant

  /// A scheduled event.
  enum Event: Sendable {
    case action(@Sendable () -> Void)
    case wakeUp(CheckedContinuation<Void, any Error>)

    func callAsFunction() {
      switch self {
      case .action(let action): action()
      case .wakeUp(let sleeper): sleeper.resume()
      }
    }
  }

  private struct Entry {
    let deadline: Instant
    let key: Int
    let event: Event
  }

  private struct State {
    /// The entries in reverse order: the last one is due next, so that removing it is cheap.
    var entries: [Entry] = []
    var now: Instant
    var lastKey = 0
    var watchers: [(key: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func makeKey() -> Int {
      lastKey += 1
      return lastKey
    }

    mutating func insert(_ entry: Entry) {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].deadline > entry.deadline { low = middle + 1 } else { high = middle }
      }
      entries.insert(entry, at: low)
    }

    mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
      guard !watchers.isEmpty else { return [] }
      let satisfied = watchers.filter { $0.count <= entries.count }
      watchers.removeAll { $0.count <= entries.count }
      return satisfied.map(\.continuation)
    }
  }

  private let state: Guarded<State>

  init(now: Instant) {
    state = Guarded(State(now: now))
  }

  var now: Instant { state.withLock { $0.now } }

  var count: Int { state.withLock { $0.entries.count } }

  /// Returns a key for a future entry or watcher.
  func makeKey() -> Int {
    state.withLock { $0.makeKey() }
  }

  /// Adds an event, after the existing events for the same instant.
  func add(at deadline: Instant, _ event: Event) -> Int {
    let (key, satisfied) = state.withLock { state in
      let key = state.makeKey()
      state.insert(Entry(deadline: deadline, key: key, event: event))
      return (key, state.takeSatisfiedWatchers())
    }
    for watcher in satisfied { watcher.resume() }
    return key
  }

  /// Suspends a task until an instant; ``wake(_:)`` with `key` ends its sleep.
  func sleep(until deadline: Instant, key: Int, _ sleeper: CheckedContinuation<Void, any Error>) {
    let end: Result<Void, any Error>? = state.withLock { state in
      if Task.isCancelled { return .failure(CancellationError()) }
      if deadline <= state.now { return .success(()) }
      state.insert(Entry(deadline: deadline, key: key, event: .wakeUp(sleeper)))
      return nil
    }
    if let end { return sleeper.resume(with: end) }
    for watcher in state.withLock({ $0.takeSatisfiedWatchers() }) { watcher.resume() }
  }

  /// Ends a sleep early, because its task was cancelled.
  func wake(_ key: Int) {
    if case .wakeUp(let sleeper) = remove(key) { sleeper.resume(throwing: CancellationError()) }
  }

  /// Removes an event.
  @discardableResult
  func remove(_ key: Int) -> Event? {
    state.withLock { state in
      state.entries.firstIndex { $0.key == key }.map { state.entries.remove(at: $0).event }
    }
  }

  /// Removes and returns the next event that is due until a deadline, and advances the time to it.
  func next(until deadline: Instant?) -> Event? {
    state.withLock { state in
      guard let entry = state.entries.last else { return nil }
      if let deadline, entry.deadline > max(deadline, state.now) { return nil }
      state.entries.removeLast()
      state.now = max(state.now, entry.deadline)
      return entry.event
    }
  }

  /// Advances the time.
  func move(to instant: Instant) {
    state.withLock { $0.now = max($0.now, instant) }
  }

  /// Resumes the task as soon as `count` events are scheduled; ``dismiss(_:)`` with `key` ends its wait.
  func watch(for count: Int, key: Int, _ continuation: CheckedContinuation<Void, Never>) {
    let isSatisfied = state.withLock { state in
      if state.entries.count >= count || Task.isCancelled { return true }
      state.watchers.append((key, count, continuation))
      return false
    }
    if isSatisfied { continuation.resume() }
  }

  /// Ends a wait early, because its task was cancelled.
  func dismiss(_ key: Int) {
    let watcher = state.withLock { state in
      state.watchers.firstIndex { $0.key == key }.map { state.watchers.remove(at: $0).continuation }
    }
    watcher?.resume()
  }
}
