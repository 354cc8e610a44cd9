#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("Signals needs a C library with a mutex")
#endif

/// A mutual exclusion lock that is not recursive.
///
/// `Synchronization.Mutex` would serve, but thread sanitizer cannot see into it on Linux and reports races that are none.
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {  // Sound: the platform's lock may be used from any thread.
  #if canImport(Darwin)
    private typealias Platform = os_unfair_lock
  #else
    private typealias Platform = pthread_mutex_t
  #endif

  /// The lock's address must never change while threads wait on it, hence a heap cell.
  private let platform: UnsafeMutablePointer<Platform>

  @usableFromInline
  package init() {
    platform = .allocate(capacity: 1)
    #if canImport(Darwin)
      platform.initialize(to: os_unfair_lock())
    #else
      platform.initialize(to: pthread_mutex_t())
      pthread_mutex_init(platform, nil)
    #endif
  }

  deinit {
    #if !canImport(Darwin)
      pthread_mutex_destroy(platform)
    #endif
    platform.deinitialize(count: 1)
    platform.deallocate()
  }

  /// Waits for the lock and takes it.
  @usableFromInline
  package func lock() {
    #if canImport(Darwin)
      os_unfair_lock_lock(platform)
    #else
      pthread_mutex_lock(platform)
    #endif
  }

  /// Releases the lock, which this thread must hold.
  @usableFromInline
  package func unlock() {
    #if canImport(Darwin)
      os_unfair_lock_unlock(platform)
    #else
      pthread_mutex_unlock(platform)
    #endif
  }

  /// Calls `body` with the lock held.
  @inlinable @inline(__always)
  package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
