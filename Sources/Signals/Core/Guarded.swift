/// State that only the holder of a lock can reach, because the lock owns it.
///
/// It stores the state in one heap cell, next to the lock. Use it for every state that several threads change; a class
/// that has nothing else mutable is `Sendable` without an annotation.
///
/// ```
/// let names = Guarded<Set<String>>([])
/// names.withLock { _ = $0.insert("volume") }
/// ```
@usableFromInline
package struct Guarded<State: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sound: the cell is reached with the lock held only, and `sending` keeps references to the state from leaving.

  @usableFromInline let lock = Lock()
  @usableFromInline let cell: UnsafeMutablePointer<State>

  /// Stores the initial state.
  package init(_ state: consuming sending State) {
    cell = .allocate(capacity: 1)
    cell.initialize(to: state)
  }

  // Not inlinable: with optimization the compiler fails, because the lock's deinit is not inlinable either.
  deinit {
    cell.deinitialize(count: 1)
    cell.deallocate()
  }

  /// Calls `body` with the state while no other thread can reach it.
  ///
  /// The lock is not recursive, so `body` must neither come back here nor call code that it does not know.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&cell.pointee)
  }

  /// Calls `body` like ``withLock(_:)``, and releases the values that it returns once the lock is free.
  ///
  /// Take values out of the state with it if releasing them may run unknown code, such as a deinitializer that comes
  /// back to this object.
  ///
  /// ```
  /// cache.replace { exchange(&$0.images, with: [:]) }
  /// ```
  ///
  /// - Parameter body: Returns the values that it replaced or removed.
  @inlinable
  package borrowing func replace<Old>(_ body: (inout sending State) -> sending Old) {
    let old = withLock(body)
    withExtendedLifetime(old) {}
  }
}
