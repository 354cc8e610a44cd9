import Dispatch
import Signals

/// Where tasks wait for a database, so that they block none of the threads that tasks run on.
final class AccessQueues: Sendable {
  let writing = JobQueue(width: 1)
  let reading: JobQueue

  init(readerCount: Int) {
    reading = JobQueue(width: readerCount)
  }
}

/// Runs jobs that may block, a few at a time, in the order in which they come.
final class JobQueue: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  private let width: Int
  private let queue = DispatchQueue(label: "org.signals.database", qos: .userInitiated, attributes: .concurrent)
  private let lock = Lock()
  private var waiting: [@Sendable () -> Void] = []
  private var running = 0

  init(width: Int) {
    self.width = width
  }

  /// Runs a closure that may block.
  func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      add { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  private func add(_ job: @escaping @Sendable () -> Void) {
    let mustStart = lock.withLock {
      waiting.append(job)
      if running == width { return false }
      running += 1
      return true
    }
    if mustStart { queue.async { [self] in work() } }
  }

  private func work() {
    while let jobs = next() {
      for job in jobs { job() }
    }
  }

  /// What is to be done next: for a queue of one, all there is.
  private func next() -> [@Sendable () -> Void]? {
    lock.withLock {
      if waiting.isEmpty {
        running -= 1
        return nil
      }
      if width > 1 { return [waiting.removeFirst()] }
      defer { waiting = [] }
      return waiting
    }
  }
}
