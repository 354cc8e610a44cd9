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
