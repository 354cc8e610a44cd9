import Signals

/// Sees to it that something is looked at after every change, by one thread at a time, and once for all changes that
/// come while it is being looked at.
final class Refreshing: Sendable {
  private struct State {
    var isDue = false
    var isRunning = false
    var isOver = false

    mutating func takeTurn() -> Bool {
      guard isDue, !isOver else {
        isRunning = false
        return false
      }
      isDue = false
      return true
    }
  }

  private let state = Guarded(State())

  /// Notes a change.
  ///
  /// - Returns: Whether the caller must see to it that ``run(_:)`` is called.
  func demand() -> Bool {
    state.withLock { state in
      state.isDue = true
      if state.isRunning || state.isOver { return false }
      state.isRunning = true
      return true
    }
  }

  /// Looks, again and again until nothing is due; only for who was told to.
  func run(_ look: () -> Void) {
    while state.withLock({ $0.takeTurn() }) { look() }
  }

  /// Looks once.
  ///
  /// - Returns: Whether another look is due, for which the caller must see to it that ``run(_:)`` is called.
  func runOnce(_ look: () -> Void) -> Bool {
    state.withLock { $0.isDue = false }
    look()
    return state.withLock { state in
      if !state.isDue { state.isRunning = false }
      return state.isDue && !state.isOver
    }
  }

  /// Looks no more.
  func end() {
    state.withLock { $0.isOver = true }
  }
}
