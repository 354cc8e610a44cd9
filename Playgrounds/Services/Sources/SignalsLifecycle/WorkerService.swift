public import ServiceLifecycle
public import Stores
import Synchronization

/// A service that works on the jobs of a queue until the group of services shuts down.
///
/// - **Shutdown:** No further job is claimed. Jobs that have begun may end within the `grace`. After it, their tasks
///   are cancelled, and jobs that have not ended wait again for another worker.
/// - **Cancellation** of the service cancels its jobs at once.
/// - **Errors:** The service fails with `DatabaseError` if jobs can no longer be claimed. The errors of jobs are a part
///   of the queue.
public struct WorkerService<Job: Codable & Sendable>: Service {
  private let queue: WorkQueue<Job>
  private let limit: Int
  private let grace: Duration
  private let body: @Sendable (ClaimedJob<Job>) async throws -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - limit: The largest number of jobs to work on at the same time.
  ///   - grace: The time for which jobs may continue after a shutdown has begun.
  ///   - body: Works on a job, in a task of its own; see `WorkQueue.work(upTo:_:)`.
  public init(
    _ queue: WorkQueue<Job>, upTo limit: Int = 1, grace: Duration = .zero,
    _ body: @escaping @Sendable (ClaimedJob<Job>) async throws -> Void
  ) {
    (self.queue, self.limit, self.grace, self.body) = (queue, limit, grace, body)
  }

  /// Works on jobs until the group shuts down.
  ///
  /// - Throws: `DatabaseError`, or `CancellationError` if the task is cancelled. All jobs have ended by then.
  public func run() async throws {
    let jobs = RunningJobs()
    let work = Task { [queue, limit, body] in
      try await queue.work(upTo: limit) { job in try await jobs.run { try await body(job) } }
    }
    let ending = Task { [grace] in
      try await gracefulShutdown()
      jobs.beginGrace()
      work.cancel()
      try await Task.sleep(for: grace)
      jobs.cancel()
    }
    defer { ending.cancel() }
    do {
      try await withTaskCancellationHandler {
        try await work.value
      } onCancel: {
        jobs.cancel()
        work.cancel()
      }
    } catch is CancellationError where !Task.isCancelled {
      // The group shuts down, and all jobs have ended.
    }
  }
}

/// The jobs that a service works on.
private final class RunningJobs: Sendable {
  private enum Phase {
    case working
    /// The queue's tasks are cancelled, but those of the jobs are not yet.
    case grace
    case cancelled
  }

  private struct State {
    var phase = Phase.working
    var tasks: [ObjectIdentifier: Task<Void, any Error>] = [:]
  }

  private let state = Mutex(State())

  /// Identifies a job while it runs.
  private final class Mark: Sendable {}

  /// Runs a job, which a cancellation reaches unless it is the beginning of the grace.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let mark = Mark()
    let task = Task { try await body() }
    state.withLock { $0.tasks[ObjectIdentifier(mark)] = task }
    defer { state.withLock { $0.tasks[ObjectIdentifier(mark)] = nil } }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      if state.withLock({ $0.phase }) != .grace { task.cancel() }
    }
  }

  func beginGrace() {
    state.withLock { if $0.phase == .working { $0.phase = .grace } }
  }

  /// Cancels all jobs, and those that begin afterwards.
  func cancel() {
    let tasks = state.withLock { state in
      state.phase = .cancelled
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }
}
