/// State that can be accessed only with the lock held, because the lock owns it.
///
/// The state is stored in a heap cell, next to the lock. Use this type for all state that several threads change. A
/// class without other mutable state is then `Sendable` without an annotation.
///
/// ```
/// let names = Guarded<Set<String>>([])
/// names.withLock { _ = $0.insert("volume") }
/// ```
///
/// The state must be neither a closure, nor an optional or a tuple with one: put it into a structure. The compiler
/// wraps such a closure once more at each access, and a call goes through all wrappers.
@usableFromInline
package struct Guarded<State: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sound: the cell is accessed only with the lock held, and `sending` keeps references to the state from escaping.

  @usableFromInline let lock = Lock()
  @usableFromInline let cell: UnsafeMutablePointer<State>

  /// Creates the lock with an initial state.
  package init(_ state: consuming sending State) {
    cell = .allocate(capacity: 1)
    cell.initialize(to: state)
  }

  // Not inlinable: with optimization the compiler fails, because the lock's deinit is not inlinable either.
  deinit {
    cell.deinitialize(count: 1)
    cell.deallocate()
  }

  /// Calls `body` with the state while no other thread can access it.
  ///
  /// The lock is not recursive, so `body` must neither call this method again nor call unknown code.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&cell.pointee)
  }

  /// Calls `body` like ``withLock(_:)``, and releases the values that it returns after the lock has been released.
  ///
  /// Use this method to remove values from the state if releasing them may run unknown code, such as a deinitializer
  /// that calls this object.
  ///
  /// ```
  /// cache.replace { exchange(&$0.images, with: [:]) }
  /// ```
  ///
  /// - Parameter body: A closure that returns the values that it replaced or removed.
  @inlinable
  package borrowing func replace<Old>(_ body: (inout sending State) -> sending Old) {
    let old = withLock(body)
    withExtendedLifetime(old) {}
  }
}
