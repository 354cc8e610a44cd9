import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The forks between the start of this program and this process.
///
/// Two numbers differ if the process was forked in between. Reading the number costs less than `getpid()`, which is a
/// system call.
package enum Forks {
  private static let counter = Atomic(0)

  private static let isCounting = pthread_atfork(nil, nil) { counter.add(1, ordering: .relaxed) } == 0

  /// The number of forks that this process has seen; the process identifier if forks cannot be counted.
  package static var count: Int { isCounting ? counter.load(ordering: .relaxed) : Int(getpid()) }
}
