import AppGroups
import FileSignals
import Foundation
import Signals
import Synchronization

extension WorkQueue {
  /// Claims waiting jobs, if there are any.
  ///
  /// - Parameter limit: The largest number of jobs.
  /// - Returns: The jobs in the order of the queue; empty if none is waiting.
  /// - Throws: ``DatabaseError``. Nothing has then been claimed.
  public func claim(upTo limit: Int = 1) throws(DatabaseError) -> [ClaimedJob<Job>] {
    decode(try engine.claim(limit))
  }

  /// Waits until a job is waiting, and claims jobs.
  ///
  /// While it waits, it costs nothing. It also waits while the database is suspended, or locked by another process for
  /// longer than its `busyTimeout`.
  ///
  /// - Parameter limit: The largest number of jobs, at least 1.
  /// - Returns: At least one job.
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/closed(path:)``, or `CancellationError` if the task is
  ///   cancelled.
  public func nextClaims(upTo limit: Int = 1) async throws -> [ClaimedJob<Job>] {
    var pauses = Backoff.reclaiming.pauses()
    while true {
      do throws(DatabaseError) {
        if let jobs = try await wait(max(1, limit)) { return jobs }
      } catch {
        try Task.checkCancellation()
        guard error.mayPass, let pause = pauses.next() else { throw error }
        try await Task.sleep(for: pause)
      }
      try Task.checkCancellation()
    }
  }

  /// Waits until jobs could be claimed; returns `nil` if the task is cancelled.
  private func wait(_ limit: Int) async throws(DatabaseError) -> [ClaimedJob<Job>]? {
    do {
      let jobs = try await attempt(limit)
      if !jobs.isEmpty { return jobs }
      try await engine.blocking { [engine] in try engine.prepareToWait() }
      // The first wake comes after a read that begins now, so no job is missed.
      for await _ in engine.wakes.values(buffering: .newest(1)) {
        let jobs = try await attempt(limit)
        if !jobs.isEmpty { return jobs }
      }
      return nil
    } catch let error as DatabaseError {
      throw error
    } catch {
      return nil
    }
  }

  private func attempt(_ limit: Int) async throws -> [ClaimedJob<Job>] {
    decode(try await engine.blocking { [engine] in try engine.claim(limit) })
  }

  /// The jobs of the queue, as a sequence that claims them, waits for further ones, and never ends.
  ///
  /// When the loop ends, the jobs that it has claimed and not received wait again. The sequence throws
  /// ``DatabaseError`` if the database is closed, and `CancellationError` if the task is cancelled.
  ///
  /// - Parameter limit: The largest number of jobs to claim in one transaction. Jobs that this
  ///   process has claimed and not begun are kept from idle workers of other processes.
  /// - Returns: The sequence.
  public func claims(upTo limit: Int = 1) -> some AsyncSequence<ClaimedJob<Job>, any Error> & Sendable {
    JobClaims(queue: self, limit: limit)
  }

  /// Works on the jobs of the queue until the task is cancelled.
  ///
  /// ```swift
  /// import Signals
  /// import Stores
  ///
  /// let database = try Database(.memory)
  /// let words = WorkQueue<String>("words", in: database)
  /// for word in ["apple", "pear"] { try words.add(word) }
  ///
  /// let worker = Task {
  ///   try await words.work(upTo: 4) { job in
  ///     try await job.finish { _ in }
  ///   }
  /// }
  /// for await counts in words.counts.values where counts.unfinished == 0 { break }
  /// worker.cancel()
  /// ```
  ///
  /// A job that the closure neither finishes nor gives back is finished when the closure returns. If it throws an error,
  /// the attempt has failed; see ``ClaimedJob/fail(_:)``. If the claim is lost, the task of the closure is cancelled.
  /// When the task of this call is cancelled, the tasks of all jobs are cancelled, and jobs that have not ended by then
  /// wait again.
  ///
  /// - Parameters:
  ///   - limit: The largest number of jobs to work on at the same time.
  ///   - body: Works on a job, in a task of its own.
  /// - Throws: ``DatabaseError`` if jobs can no longer be claimed, or `CancellationError` when the task is cancelled.
  ///   All jobs have ended by then.
  public func work(
    upTo limit: Int = 1, _ body: @escaping @Sendable (ClaimedJob<Job>) async throws -> Void
  ) async throws {
    let ended = EndedJobs()
    try await withThrowingTaskGroup(of: Void.self) { group in
      var (started, collected) = (0, 0)
      while true {
        try Task.checkCancellation()
        // Results are collected, so that they take no memory.
        while collected < ended.count.load(ordering: .relaxed) || started - collected >= max(1, limit) {
          try await group.next()
          collected += 1
        }
        for job in try await nextClaims(upTo: max(1, limit) - (started - collected)) {
          started += 1
          group.addTask {
            defer { ended.count.add(1, ordering: .relaxed) }
            try await job.run(body)
          }
        }
      }
    }
  }

  /// Decodes claimed jobs; the attempt fails for those that cannot be decoded.
  private func decode(_ claims: [(claim: Claim, row: JobTable.Claimed)]) -> [ClaimedJob<Job>] {
    claims.compactMap { claim, row in
      do {
        return ClaimedJob(
          id: row.id, value: try JobCoding.decode(Job.self, from: row.job), attempt: Int(row.attempt),
          failureCount: row.failures, key: row.key, claim: claim)
      } catch {
        let reason = CodingReason.words(for: error, in: Data(row.job.utf8))
        engine.refuse(claim, .invalidJob(queue: name, job: row.id, path: engine.database.location.path, reason: reason))
        return nil
      }
    }
  }
}

/// The number of jobs that one call has worked on.
private final class EndedJobs: Sendable {
  let count = Atomic(0)
}

/// The jobs of a queue as a sequence.
private struct JobClaims<Job: Codable & Sendable>: AsyncSequence, Sendable {
  let queue: WorkQueue<Job>
  let limit: Int

  func makeAsyncIterator() -> Iterator { Iterator(queue: queue, limit: limit) }

  struct Iterator: AsyncIteratorProtocol {
    let queue: WorkQueue<Job>
    let limit: Int
    /// The claimed jobs, the next one last.
    private var claimed: [ClaimedJob<Job>] = []

    init(queue: WorkQueue<Job>, limit: Int) {
      (self.queue, self.limit) = (queue, limit)
    }

    mutating func next() async throws -> ClaimedJob<Job>? {
      if let job = claimed.popLast() { return job }
      claimed = try await queue.nextClaims(upTo: limit).reversed()
      return claimed.popLast()
    }
  }
}

extension ClaimedJob {
  /// Works on the job in this task, and ends it.
  fileprivate func run(_ body: @escaping @Sendable (ClaimedJob<Job>) async throws -> Void) async throws {
    let outcome = await outcome(of: body)
    // Otherwise the closure has ended the job, or it is another worker's.
    guard claim.isHeld || claim.isEnding else { return }
    let engine = claim.engine
    let end =
      switch outcome {
      case .success: engine.finish
      case .failure(is CancellationError) where Task.isCancelled: JobTable.ClaimEnd.returned
      case .failure(let error): engine.failure(error, of: claim)
      }
    var pauses = Backoff.reclaiming.pauses()
    while true {
      do {
        // An attempt to write the end of a job is made even if this task is cancelled.
        let work = Task { [claim] in
          try await engine.blocking {
            // A transaction of the closure that was to end the job may have been undone.
            try engine.settleNow(claim)
            if claim.isHeld { try claim.end(end) { _ in } }
          }
        }
        return try await work.value
      } catch DatabaseError.claimLost {
        return
      } catch let error as DatabaseError {
        // A job that is done must not be done again.
        guard error.mayPass, let pause = pauses.next() else { throw error }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Calls the closure in a task that is cancelled when the claim is lost.
  private func outcome(
    of body: @escaping @Sendable (ClaimedJob<Job>) async throws -> Void
  ) async -> Result<Void, any Error> {
    await withTaskGroup(of: Result<Void, any Error>?.self) { group in
      group.addTask {
        do { return .success(try await body(self)) } catch { return .failure(error) }
      }
      group.addTask {
        for await isLost in isLost.values where isLost { break }
        return nil
      }
      // If the claim is lost first, the closure is cancelled and awaited.
      var outcome: Result<Void, any Error>?
      for await result in group {
        if let result { outcome = result }
        group.cancelAll()
      }
      return outcome ?? .success(())
    }
  }
}

extension Backoff {
  /// The pauses between attempts to claim a job or to write its end.
  fileprivate static let reclaiming = exponential(from: .milliseconds(50), upTo: .seconds(2))
}

extension DatabaseError {
  /// A Boolean value that indicates whether the same call may succeed later without a change of the program.
  fileprivate var mayPass: Bool {
    switch self {
    case .suspended, .busy: true
    default: false
    }
  }
}
