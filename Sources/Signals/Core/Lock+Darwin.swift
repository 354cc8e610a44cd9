#if canImport(Darwin)
  import CLibrary

  /// A mutual exclusion lock that is not recursive.
  ///
  /// Apple's unfair lock passes the priority of a waiting thread to the thread that holds it, which no custom lock can
  /// do.
  @usableFromInline
  package struct Lock: ~Copyable, @unchecked Sendable {  // Sound: an unfair lock is made for many threads.
    /// The lock is in a heap cell, because its address must not change while threads wait on it.
    private let platform: UnsafeMutablePointer<os_unfair_lock>

    @usableFromInline
    package init() {
      platform = .allocate(capacity: 1)
      platform.initialize(to: os_unfair_lock())
    }

    deinit {
      platform.deinitialize(count: 1)
      platform.deallocate()
    }

    /// Waits for the lock and acquires it.
    @usableFromInline
    package borrowing func lock() {
      os_unfair_lock_lock(platform)
    }

    /// Acquires the lock if it is free.
    ///
    /// - Returns: `true` if this thread now holds the lock.
    package borrowing func tryLock() -> Bool {
      os_unfair_lock_trylock(platform)
    }

    /// Releases the lock, which this thread must hold.
    @usableFromInline
    package borrowing func unlock() {
      os_unfair_lock_unlock(platform)
    }
  }
#endif
