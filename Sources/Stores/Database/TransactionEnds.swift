import Signals
import Synchronization

/// What threads have to do when the transactions are over that they are in.
final class TransactionEnds: Sendable {
  private let jobs = Guarded<[UInt: [@Sendable () -> Void]]>([:])
  /// How many threads have something to do; each sees at least its own number, and needs no lock if there is none.
  private let count = Atomic(0)

  /// Has the calling thread, which must be in a transaction, call a closure when that is over.
  func add(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { jobs in
      jobs[ThreadIdentity.current.address, default: []].append(job)
      count.store(jobs.count, ordering: .relaxed)
    }
  }

  /// Does what the calling thread has to do, whose transaction is over.
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
