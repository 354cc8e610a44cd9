import Signals

/// A coordinator that guarantees a check after every change, by one thread at a time.
///
/// Changes during a check share the next one.
package final class Refreshing: Sendable {
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

  package init() {}

  /// Records a change.
  ///
  /// - Returns: `true` if the caller must arrange a call of ``run(_:)``.
  package func demand() -> Bool {
    state.withLock { state in
      state.isDue = true
      if state.isRunning || state.isOver { return false }
      state.isRunning = true
      return true
    }
  }

  /// Checks repeatedly until no change is left.
  ///
  /// Only a caller for which ``demand()`` or ``runOnce(_:)`` returned `true` may call this method.
  package func run(_ look: () -> Void) {
    while state.withLock({ $0.takeTurn() }) { look() }
  }

  /// Checks once.
  ///
  /// - Returns: `true` if another check is due, for which the caller must arrange a call of ``run(_:)``.
  package func runOnce(_ look: () -> Void) -> Bool {
    state.withLock { $0.isDue = false }
    look()
    return state.withLock { state in
      if !state.isDue { state.isRunning = false }
      return state.isDue && !state.isOver
    }
  }

  /// Prevents all further checks.
  package func end() {
    state.withLock { $0.isOver = true }
  }
}
