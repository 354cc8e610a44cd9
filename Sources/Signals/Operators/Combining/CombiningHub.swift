/// The object at which the values of two signals meet.
@usableFromInline
final class CombiningHub<Operator: CombiningOperator>: InputHub, @unchecked Sendable {
  // Sound: `state` belongs to the core's turn.
  @usableFromInline let operation: Operator
  @usableFromInline let core = EmitterCore<Operator.Output, Operator.Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// The subscription to the first signal, a group of its own if the operator leaves it before the end.
  @usableFromInline let firstUpstreams: Upstreams

  @exclusivity(unchecked) @usableFromInline var state: Operator.State

  @inlinable
  init(_ operation: Operator) {
    self.operation = operation
    state = operation.makeState()
    firstUpstreams = Operator.leavesFirst ? Upstreams() : upstreams
  }

  @inlinable @inline(__always)
  func receive(first value: Operator.First) {
    core.withTurn { [self] in if !core.hasEnded { operation.receive(first: value, self) } }
  }

  @inlinable @inline(__always)
  func receive(second value: Operator.Second) {
    core.withTurn { [self] in if !core.hasEnded { operation.receive(second: value, self) } }
  }
}

extension CombiningHub: OperatorStep {}

/// The subscriber of the first signal.
@usableFromInline
struct FirstInput<Operator: CombiningOperator>: SignalSubscriber {
  @usableFromInline let hub: CombiningHub<Operator>

  @inlinable @inline(__always)
  init(hub: CombiningHub<Operator>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Operator.First) {
    hub.receive(first: value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Operator.FirstFailure>) {
    hub.core.withTurn { [hub] in
      if !hub.core.hasEnded { hub.operation.receive(firstCompletion: completion, hub) }
    }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.firstUpstreams.isCancelled || hub.isDone }
}

/// The subscriber of the second signal.
@usableFromInline
struct SecondInput<Operator: CombiningOperator>: SignalSubscriber {
  @usableFromInline let hub: CombiningHub<Operator>

  @inlinable @inline(__always)
  init(hub: CombiningHub<Operator>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Operator.Second) {
    hub.receive(second: value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Operator.SecondFailure>) {
    hub.core.withTurn { [hub] in
      if !hub.core.hasEnded { hub.operation.receive(secondCompletion: completion, hub) }
    }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
