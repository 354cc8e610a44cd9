import Signals

/// Sees to it that something is looked at after every change, by one thread at a time, and once for all changes that
/// come while it is being looked at.
final class Refreshing: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  private let lock = Lock()
  private var isDue = false
  private var isRunning = false
  private var isOver = false

  /// Notes a change.
  ///
  /// - Returns: Whether the caller must see to it that ``run(_:)`` is called.
  func demand() -> Bool {
    lock.withLock {
      isDue = true
      if isRunning || isOver { return false }
      isRunning = true
      return true
    }
  }

  /// Looks, again and again until nothing is due; only for who was told to.
  func run(_ look: () -> Void) {
    while lock.withLock({ takeTurn() }) { look() }
  }

  /// Looks once.
  ///
  /// - Returns: Whether another look is due, for which the caller must see to it that ``run(_:)`` is called.
  func runOnce(_ look: () -> Void) -> Bool {
    lock.withLock { isDue = false }
    look()
    return lock.withLock {
      if !isDue { isRunning = false }
      return isDue && !isOver
    }
  }

  /// Looks no more.
  func end() {
    lock.withLock { isOver = true }
  }

  private func takeTurn() -> Bool {
    guard isDue, !isOver else {
      isRunning = false
      return false
    }
    isDue = false
    return true
  }
}
