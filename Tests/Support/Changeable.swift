import Foundation

/// State whose changes threads wait for.
final class Changeable<State>: @unchecked Sendable {
  // Sound: the state is accessed only while the condition is locked.
  private let condition = NSCondition()
  private var state: State

  init(_ state: State) { self.state = state }

  /// Changes the state, and wakes the threads that wait.
  @discardableResult
  func change<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&state)
  }

  /// Waits until the state satisfies a condition.
  func wait(until isSatisfied: (State) -> Bool) {
    condition.lock()
    defer { condition.unlock() }
    while !isSatisfied(state) { condition.wait() }
  }
}
