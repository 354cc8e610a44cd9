import CLibrary
import Synchronization

/// A count that tells a process from the one that it was forked from.
///
/// Reading it costs less than `getpid()`, which is a system call. A child of `vfork` or of a system call that bypasses
/// the C library is not counted.
package enum Forks {
  private static let counter = Atomic(0)

  private static let isCounting: Bool = {
    // The counter exists before a child needs it, which must not wait for a thread of its parent.
    _ = counter.load(ordering: .relaxed)
    return pthread_atfork(nil, nil) { counter.add(1, ordering: .relaxed) } == 0
  }()

  /// A number that changes when the process is forked after it was read.
  ///
  /// It is the process identifier if forks cannot be counted.
  package static var count: Int { isCounting ? counter.load(ordering: .relaxed) : Int(getpid()) }
}
