extension PropertyCore {
  /// Replaces the value with the result of `body` and sends it; nothing changes if `body` throws.
  ///
  /// No lock is held while `body` runs, so it may read and write other properties. If another thread writes at the same
  /// time, `body` runs again on the newer value.
  @inlinable
  final func modify<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    var isContended = false
    defer { if isContended { endContention() } }
    while true {
      lockValue()
      var value = stored.unsafelyUnwrapped  // Sound: only a derived value starts without one.
      let base = version
      lock.unlock()
      let result = try body(&value)
      lockValue()
      if version == base {
        store(value)
        return result
      }
      if isContended {
        checkWriter()
      } else {
        isContended = true
        beginContention()
      }
      lock.unlock()
    }
  }

  /// Makes each write record its thread, as long as this thread repeats `modify`.
  ///
  /// The caller holds the lock.
  @usableFromInline
  final func beginContention() {
    makePlace().contenders += 1
  }

  /// Ends what ``beginContention()`` began.
  @usableFromInline
  final func endContention() {
    lock.withLock {
      guard let place else { return }
      place.contenders -= 1
      if place.contenders == 0 { place.lastWriter = nil }
      dropEmptyPlace()
    }
  }

  /// Stops with an explanation if `body` itself wrote the property, since `modify` would then repeat it forever.
  ///
  /// Call this from the second run on. Only then has every write since the run began recorded its thread.
  @usableFromInline
  final func checkWriter() {
    if place?.lastWriter == ThreadIdentity.current {
      stop(
        because: "A property was written from inside the body of its own modify(_:); change the body's argument instead"
      )
    }
  }
}

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
