#if !canImport(Darwin)
  public import Synchronization

  /// A mutual exclusion lock that is not recursive.
  ///
  /// Acquiring a free lock is one atomic operation, inlined into the caller. Threads that have to wait do so in a
  /// ``LockQueue``. `Synchronization.Mutex` is as fast, but on Linux the thread sanitizer does not see it and reports
  /// false races.
  @usableFromInline
  package struct Lock: ~Copyable, Sendable {
    @usableFromInline
    enum State: Sendable {
      @usableFromInline static let free: UInt8 = 0
      @usableFromInline static let held: UInt8 = 1
      /// Held, and other threads may be waiting.
      @usableFromInline static let contended: UInt8 = 2
    }

    @usableFromInline let state = Atomic<UInt8>(State.free)
    @usableFromInline let queue = LockQueue()

    @inlinable @inline(__always)
    package init() {}

    /// Waits for the lock and acquires it.
    @inlinable @inline(__always)
    package borrowing func lock() {
      if !tryLock() { queue.wait(for: state) }
    }

    /// Acquires the lock if it is free.
    ///
    /// - Returns: `true` if this thread now holds the lock.
    @inlinable @inline(__always)
    package borrowing func tryLock() -> Bool {
      state.compareExchange(
        expected: State.free, desired: State.held, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged
    }

    /// Releases the lock, which this thread must hold.
    @inlinable @inline(__always)
    package borrowing func unlock() {
      if state.exchange(State.free, ordering: .acquiringAndReleasing) == State.contended { queue.wake() }
    }
  }
#endif

extension Lock {
  /// Calls `body` with the lock held.
  @inlinable @inline(__always)
  package borrowing func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
