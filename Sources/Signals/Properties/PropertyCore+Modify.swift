extension PropertyCore {
  /// Replaces the value with the result of `body` and sends it; nothing changes if `body` throws.
  ///
  /// No lock is held while `body` runs, so it may read and write other properties. If another thread writes at the same
  /// time, `body` runs again on the newer value.
  @inlinable
  final func modify<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    var isContended = false
    defer { if isContended { lock.withLock { contenders -= 1 } } }
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
        contenders += 1
      }
      lock.unlock()
    }
  }

  /// Stops with an explanation if `body` itself wrote the property, since `modify` would then repeat it forever.
  ///
  /// Call this from the second run on. Only then has every write since the run began recorded its thread.
  @usableFromInline
  final func checkWriter() {
    if lastWriter == ThreadIdentity.current {
      stop(
        because: "A property was written from inside the body of its own modify(_:); change the body's argument instead"
      )
    }
  }
}
