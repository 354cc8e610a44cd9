import Signals
import Synchronization

/// The closures that threads run when their transactions end.
final class TransactionEnds: Sendable {
  private let jobs = Guarded<[UInt: [@Sendable () -> Void]]>([:])
  /// The number of threads with closures.
  ///
  /// Each thread sees at least its own, and needs no lock if the number is 0.
  private let count = Atomic(0)

  /// Adds a closure that the calling thread, which must be in a transaction, runs when that ends.
  func add(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { jobs in
      jobs[ThreadIdentity.current.address, default: []].append(job)
      count.store(jobs.count, ordering: .relaxed)
    }
  }

  /// Runs the closures of the calling thread, whose transaction has ended.
  @inline(__always)
  func run() {
    if count.load(ordering: .relaxed) != 0 { runAll() }
  }

  @inline(never)
  private func runAll() {
    let mine = jobs.withLock { jobs in
      defer { count.store(jobs.count, ordering: .relaxed) }
      return jobs.removeValue(forKey: ThreadIdentity.current.address)
    }
    for job in mine ?? [] { job() }
  }
}
