import CLibrary
public import Synchronization

/// A lock that knows which thread holds it, so that a thread that would wait for itself can be stopped with an
/// explanation.
@usableFromInline
package struct OwnedLock: ~Copyable, Sendable {
  @usableFromInline let inner = Lock()

  /// The thread that holds the lock; 0 if none does.
  ///
  /// It needs no memory ordering, because only the thread itself sets and clears its own identity.
  @usableFromInline let owner = Atomic<UInt>(0)

  @inlinable @inline(__always)
  package init() {}

  /// A Boolean value that indicates whether a thread holds the lock, or held it a moment ago.
  package var isHeld: Bool { owner.load(ordering: .relaxed) != 0 }

  /// A Boolean value that indicates whether the calling thread holds the lock.
  @inlinable @inline(__always)
  package var isHeldByThisThread: Bool { owner.load(ordering: .relaxed) == ThreadIdentity.current.address }

  /// Waits for the lock and acquires it.
  @inlinable @inline(__always)
  package borrowing func lock() {
    inner.lock()
    owner.store(ThreadIdentity.current.address, ordering: .relaxed)
  }

  /// Acquires the lock if it is free.
  ///
  /// - Returns: `true` if this thread now holds the lock.
  package borrowing func tryLock() -> Bool {
    guard inner.tryLock() else { return false }
    owner.store(ThreadIdentity.current.address, ordering: .relaxed)
    return true
  }

  /// Releases the lock, which this thread must hold.
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

/// The identity of a thread, valid as long as the thread runs.
@usableFromInline
package struct ThreadIdentity: Equatable, Sendable {
  /// A number that no other running thread has, and that is never 0.
  @usableFromInline package let address: UInt

  /// The identity of the calling thread.
  @usableFromInline
  package static var current: ThreadIdentity {
    // With Glibc, it is an unsigned number; elsewhere, it is a pointer or a signed number.
    #if canImport(Glibc)
      ThreadIdentity(address: UInt(pthread_self()))
    #else
      ThreadIdentity(address: UInt(bitPattern: pthread_self()))
    #endif
  }

  /// Pauses briefly, so that other threads can run.
  static func pause() {
    usleep(100)
  }
}
