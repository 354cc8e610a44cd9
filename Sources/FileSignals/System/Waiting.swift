import CLibrary
package import Dispatch
package import Signals

extension Backoff {
  /// Repeats an attempt until it succeeds or a time has passed, and blocks the thread between attempts.
  ///
  /// An attempt that succeeds at once does not even read the clock.
  ///
  /// - Parameters:
  ///   - limit: The longest time, which begins when the first attempt has failed.
  ///   - attempt: Returns a result, or `nil` to be called again.
  /// - Returns: The result, or `nil` if the time has passed.
  /// - Throws: The error of `attempt`.
  @available(*, noasync, message: "It blocks the thread")
  package func repeating<Result: ~Copyable, Failure: Error>(
    within limit: @autoclosure () -> Duration, _ attempt: () throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    if let result = try attempt() { return result }
    let deadline = ContinuousClock.now + limit()
    var pauses = pauses()
    guard pauses.sleep() else { return nil }
    while true {
      if let result = try attempt() { return result }
      guard ContinuousClock.now < deadline, pauses.sleep() else { return nil }
    }
  }
}

extension Backoff.Pauses {
  /// Counts a failed attempt and blocks the thread until the next one.
  ///
  /// - Returns: `false`, without blocking, if the limit has been reached.
  @available(*, noasync, message: "It blocks the thread")
  package mutating func sleep() -> Bool {
    guard let pause = next() else { return false }
    usleep(UInt32(clamping: Int64(pause.inSeconds * 1_000_000)))
    return true
  }
}

extension OwnedLock {
  /// Waits for the lock and acquires it, unless that takes too long.
  ///
  /// - Parameter patience: The longest time to wait, or `nil` to wait as long as it takes.
  /// - Returns: `true` if this thread now holds the lock.
  @available(*, noasync, message: "It blocks the thread")
  package borrowing func lock(within patience: Duration?) -> Bool {
    guard let patience else {
      lock()
      return true
    }
    return FileLock.waiting.repeating(within: patience) { tryLock() ? true : nil } ?? false
  }
}

extension DispatchQueue {
  /// Runs a closure on the queue after a pause.
  package func async(after pause: Duration, execute work: @escaping @Sendable @convention(block) () -> Void) {
    asyncAfter(deadline: .now() + pause.inSeconds, execute: work)
  }
}
