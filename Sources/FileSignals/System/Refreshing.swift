import Signals

/// A coordinator that guarantees a look after every change, by one thread at a time.
///
/// Changes during a look share the next one.
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
  /// - Returns: Whether the caller must arrange a call of ``run(_:)``.
  package func demand() -> Bool {
    state.withLock { state in
      state.isDue = true
      if state.isRunning || state.isOver { return false }
      state.isRunning = true
      return true
    }
  }

  /// Looks repeatedly until no change is left.
  ///
  /// Only a caller that ``demand()`` has asked may call it.
  package func run(_ look: () -> Void) {
    while state.withLock({ $0.takeTurn() }) { look() }
  }

  /// Looks once.
  ///
  /// - Returns: Whether another look is due, for which the caller must arrange a call of ``run(_:)``.
  package func runOnce(_ look: () -> Void) -> Bool {
    state.withLock { $0.isDue = false }
    look()
    return state.withLock { state in
      if !state.isDue { state.isRunning = false }
      return state.isDue && !state.isOver
    }
  }

  /// Ends all looks.
  package func end() {
    state.withLock { $0.isOver = true }
  }
}
