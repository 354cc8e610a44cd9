public import Synchronization

/// A lock that knows which thread has it, so that a thread that would wait for itself can be told so.
@usableFromInline
package struct OwnedLock: ~Copyable, Sendable {
  @usableFromInline let inner = Lock()

  /// The thread that has the lock; 0 if none has.
  ///
  /// It needs no order of its own: nobody but a thread itself puts it here or takes it away.
  @usableFromInline let owner = Atomic<UInt>(0)

  @inlinable @inline(__always)
  package init() {}

  /// Whether a thread has the lock, or had it a moment ago.
  package var isHeld: Bool { owner.load(ordering: .relaxed) != 0 }

  /// Whether the calling thread has the lock.
  @inlinable @inline(__always)
  package var isHeldByThisThread: Bool { owner.load(ordering: .relaxed) == ThreadIdentity.current.address }

  /// Waits for the lock and takes it.
  @inlinable @inline(__always)
  package borrowing func lock() {
    inner.lock()
    owner.store(ThreadIdentity.current.address, ordering: .relaxed)
  }

  /// Releases the lock, which this thread must have.
  @inlinable @inline(__always)
  package borrowing func unlock() {
    owner.store(0, ordering: .relaxed)
    inner.unlock()
  }

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
