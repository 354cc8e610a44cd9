package import Signals

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
