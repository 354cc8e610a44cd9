/// What one subscription to an operator keeps in memory.
///
/// It is one of two types, so that an operator pays only for what it needs.
@usableFromInline
protocol OperatorRun<State>: Sendable {
  associatedtype State

  /// A Boolean value that indicates whether the operator has ended the signal, or the subscription was cancelled.
  var hasEnded: Bool { get }

  /// Cancels the signal before the operator, if the operator may end it.
  ///
  /// - Returns: `false` if the subscription has ended already, and nothing may follow.
  func end() -> Bool

  /// Calls a closure with the operator's state.
  func withState(_ body: (inout State) -> Void)
}

/// The state of an operator that passes on the completion.
///
/// It needs neither a lock nor an exclusivity check, because a source never calls one subscriber concurrently.
@usableFromInline
final class StageState<State>: OperatorRun, @unchecked Sendable {  // Sound: only its stage touches it, which is serial.
  @exclusivity(unchecked) @usableFromInline var state: State

  @inlinable @inline(__always)
  init(_ state: State) {
    self.state = state
  }

  @inlinable @inline(__always)
  var hasEnded: Bool { false }

  @inlinable @inline(__always)
  func end() -> Bool { true }

  @inlinable @inline(__always)
  func withState(_ body: (inout State) -> Void) {
    body(&state)
  }
}

/// The state of an operator that may end the signal, and the subscription to the signal before it.
///
/// They are two objects, because the token owns the subscription, and must not keep values after the end.
@usableFromInline
struct EndingRun<State>: OperatorRun {
  @usableFromInline let upstreams = Upstreams()
  @usableFromInline let state: StageState<State>

  @inlinable @inline(__always)
  init(_ state: State) {
    self.state = StageState(state)
  }

  @inlinable @inline(__always)
  var hasEnded: Bool { upstreams.isCancelled }

  @inlinable
  func end() -> Bool {
    if hasEnded { return false }
    upstreams.cancelAll()
    return true
  }

  @inlinable @inline(__always)
  func withState(_ body: (inout State) -> Void) {
    state.withState(body)
  }
}
