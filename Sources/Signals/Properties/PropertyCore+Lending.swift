/// A lock that readers wait for while another thread changes the value in place.
@usableFromInline
final class Gate: Sendable {
  let lock = OwnedLock()
}

extension PropertyCore {
  /// Acquires the lock, after waiting until the property has a value to read or replace.
  @inlinable @inline(__always)
  final func lockValue() {
    lock.lock()
    if isLent { waitForValue() }
  }

  /// Releases the lock until the value is back, and then acquires it again.
  @usableFromInline
  final func waitForValue() {
    while isLent, let gate = place?.gate {
      lock.unlock()
      checkLender(gate)
      gate.lock.withLock {}
      lock.lock()
    }
  }

  /// Changes the value in place and sends it, while other threads wait.
  @inlinable
  final func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var value = lend()
    defer { takeBack(value) }
    return try body(&value)
  }

  /// Moves the value out, so that the caller holds its only reference.
  @usableFromInline
  final func lend() -> Value {
    let gate = lock.withLock {
      let place = makePlace()
      let gate = place.gate ?? Gate()
      place.gate = gate
      return gate
    }
    checkLender(gate)
    gate.lock.lock()
    lock.lock()
    defer { lock.unlock() }
    isLent = true
    return stored.take().unsafelyUnwrapped  // Sound: only a derived value starts without one.
  }

  /// Stores the value that was moved out, sends it, and lets waiting threads continue.
  @usableFromInline
  final func takeBack(_ value: Value) {
    lock.lock()
    isLent = false
    placeReference?._withUnsafeGuaranteedRef { $0.gate?.lock.unlock() }
    store(value)
  }

  private final func checkLender(_ gate: Gate) {
    if gate.lock.isHeldByThisThread {
      stop(
        because: """
          A property was read or written from inside the body of its own withLock(_:), perhaps through a value that is \
          derived from it; use the body's argument instead, or modify(_:)
          """
      )
    }
  }
}
