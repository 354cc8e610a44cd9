import Signals

/// What is due on a test clock, and when.
final class Agenda: @unchecked Sendable {  // Sound: the state is guarded by the lock.
  typealias Instant = TestClock.Instant

  /// Something that is due.
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

  private let lock = Lock()

  /// The last one is the next due, so that it is cheap to take.
  private var entries: [Entry] = []
  private var current: Instant
  private var lastKey = 0
  private var watchers: [(key: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  init(now: Instant) {
    current = now
  }

  var now: Instant { lock.withLock { current } }

  var count: Int { lock.withLock { entries.count } }

  /// A key for an entry, or a watcher, that is not there yet.
  func makeKey() -> Int {
    lock.withLock {
      lastKey += 1
      return lastKey
    }
  }

  /// Puts something on the agenda, behind what is there for the same instant.
  func add(at deadline: Instant, _ event: Event) -> Int {
    let (key, satisfied) = lock.withLock {
      lastKey += 1
      insert(Entry(deadline: deadline, key: lastKey, event: event))
      return (lastKey, takeSatisfiedWatchers())
    }
    for watcher in satisfied { watcher.resume() }
    return key
  }

  /// Lets a task sleep until an instant; `key` is what ``wake(_:)`` ends its sleep with.
  func sleep(until deadline: Instant, key: Int, _ sleeper: CheckedContinuation<Void, any Error>) {
    lock.lock()
    if Task.isCancelled {
      lock.unlock()
      sleeper.resume(throwing: CancellationError())
    } else if deadline <= current {
      lock.unlock()
      sleeper.resume()
    } else {
      insert(Entry(deadline: deadline, key: key, event: .wakeUp(sleeper)))
      let satisfied = takeSatisfiedWatchers()
      lock.unlock()
      for watcher in satisfied { watcher.resume() }
    }
  }

  /// Ends a sleep before its time, because its task was cancelled.
  func wake(_ key: Int) {
    if case .wakeUp(let sleeper) = remove(key) { sleeper.resume(throwing: CancellationError()) }
  }

  /// Takes something off the agenda.
  @discardableResult
  func remove(_ key: Int) -> Event? {
    lock.withLock {
      entries.firstIndex { $0.key == key }.map { entries.remove(at: $0).event }
    }
  }

  /// Takes the next thing that is due until a deadline off the agenda, and moves the time to it.
  func next(until deadline: Instant?) -> Event? {
    lock.withLock {
      guard let entry = entries.last else { return nil }
      if let deadline, entry.deadline > max(deadline, current) { return nil }
      entries.removeLast()
      current = max(current, entry.deadline)
      return entry.event
    }
  }

  /// Moves the time forward.
  func move(to instant: Instant) {
    lock.withLock { current = max(current, instant) }
  }

  /// Resumes the task as soon as that many things are on the agenda; `key` is what ``dismiss(_:)`` ends its wait with.
  func watch(for count: Int, key: Int, _ continuation: CheckedContinuation<Void, Never>) {
    let isSatisfied = lock.withLock {
      if entries.count >= count || Task.isCancelled { return true }
      watchers.append((key, count, continuation))
      return false
    }
    if isSatisfied { continuation.resume() }
  }

  /// Ends a wait before its time, because its task was cancelled.
  func dismiss(_ key: Int) {
    let watcher = lock.withLock {
      watchers.firstIndex { $0.key == key }.map { watchers.remove(at: $0).continuation }
    }
    watcher?.resume()
  }

  private func insert(_ entry: Entry) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].deadline > entry.deadline { low = middle + 1 } else { high = middle }
    }
    entries.insert(entry, at: low)
  }

  private func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
    guard !watchers.isEmpty else { return [] }
    let satisfied = watchers.filter { $0.count <= entries.count }
    watchers.removeAll { $0.count <= entries.count }
    return satisfied.map(\.continuation)
  }
}
