/// A signal with an operator applied to it; the result of ``Signal/lift(_:)`` and of most operators.
@usableFromInline
struct OperatorSignal<Upstream: Signal, Operator: SignalOperator>: Signal
where Operator.Input == Upstream.Element, Operator.InputFailure == Upstream.Failure {
  @usableFromInline typealias Element = Operator.Output
  @usableFromInline typealias Failure = Operator.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let operation: Operator

  @inlinable @inline(__always)
  init(_ upstream: Upstream, _ operation: Operator) {
    (self.upstream, self.operation) = (upstream, operation)
  }

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    if Operator.endsSignal {
      let run = EndingRun(operation.makeState())
      let stage = OperatorStage(operation: operation, output: OperatorOutput(downstream: subscriber, run: run))
      stage.begin()
      if !run.hasEnded { run.upstreams.add(upstream.subscribe(stage)) }
      return SignalSubscription(owner: run.upstreams)
    }
    if MemoryLayout<Operator.State>.size > 0 {
      let run = StageState(operation.makeState())
      let stage = OperatorStage(operation: operation, output: OperatorOutput(downstream: subscriber, run: run))
      stage.begin()
      return upstream.subscribe(stage)
    }
    let stage = StatelessStage(operation: operation, downstream: subscriber)
    stage.begin()
    return upstream.subscribe(stage)
  }
}

extension OperatorSignal: OperatorStep {}

/// The subscriber of an operator that passes on the completion, and whose state has no size: each call has a new one.
///
/// It has no `run`, not even an empty one: the compiler calls functions to copy a chain of more than a few fields.
@usableFromInline
struct StatelessStage<Operator: SignalOperator, Downstream: SignalSubscriber<Operator.Output, Operator.Failure>>:
  SignalSubscriber
{
  @usableFromInline let operation: Operator
  @usableFromInline let downstream: Downstream

  @inlinable @inline(__always)
  init(operation: Operator, downstream: Downstream) {
    (self.operation, self.downstream) = (operation, downstream)
  }

  @inlinable @inline(__always)
  func begin() {
    var state = operation.makeState()
    operation.begin(state: &state, next: downstream)
  }

  @inlinable @inline(__always)
  func receive(_ value: Operator.Input) {
    var state = operation.makeState()
    operation.receive(value, state: &state, next: downstream)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Operator.InputFailure>) {
    var state = operation.makeState()
    operation.receive(completion: completion, state: &state, next: downstream)
  }

  @inlinable @inline(__always)
  var isDone: Bool { downstream.isDone }
}

extension StatelessStage: OperatorStep {}

/// The subscriber of any other operator.
@usableFromInline
struct OperatorStage<
  Operator: SignalOperator, Downstream: SignalSubscriber<Operator.Output, Operator.Failure>,
  Run: OperatorRun<Operator.State>
>: SignalSubscriber {
  @usableFromInline let operation: Operator
  @usableFromInline let output: OperatorOutput<Downstream, Run>

  @inlinable @inline(__always)
  init(operation: Operator, output: OperatorOutput<Downstream, Run>) {
    (self.operation, self.output) = (operation, output)
  }

  @inlinable @inline(__always)
  func begin() {
    output.run.withState { operation.begin(state: &$0, next: output) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Operator.Input) {
    if !output.run.hasEnded { output.run.withState { operation.receive(value, state: &$0, next: output) } }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Operator.InputFailure>) {
    if !output.run.hasEnded {
      output.run.withState { operation.receive(completion: completion, state: &$0, next: output) }
    }
  }

  @inlinable @inline(__always)
  var isDone: Bool { output.isDone }
}

extension OperatorStage: OperatorStep, IndirectStep {
  var next: Any? { output.downstream }
}

/// The subscriber after an operator, as the operator sees it.
@usableFromInline
struct OperatorOutput<Downstream: SignalSubscriber, Run: OperatorRun>: SignalSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let run: Run

  @inlinable @inline(__always)
  init(downstream: Downstream, run: Run) {
    (self.downstream, self.run) = (downstream, run)
  }

  @inlinable @inline(__always)
  func receive(_ value: Downstream.Element) {
    if !run.hasEnded { downstream.receive(value) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Downstream.Failure>) {
    if run.end() { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { run.hasEnded || downstream.isDone }
}

/// The state of one subscription to an operator.
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
