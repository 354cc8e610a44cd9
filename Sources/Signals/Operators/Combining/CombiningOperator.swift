/// An operator on the values of two signals.
///
/// The turn of the hub puts what both signals send into one order, whatever their threads. All methods are called with
/// it, and not after the end.
@usableFromInline
protocol CombiningOperator<First, Second, Output, Failure>: Sendable {
  /// The values of the signal that is subscribed to first.
  associatedtype First: Sendable
  associatedtype FirstFailure: Error = Failure

  /// The values of the signal that is subscribed to second.
  associatedtype Second: Sendable
  associatedtype SecondFailure: Error = Failure

  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// The state of the operator in one subscription.
  associatedtype State = Void

  /// A Boolean value that indicates whether the operator cancels the first signal before the end.
  static var leavesFirst: Bool { get }

  func makeState() -> State

  func receive(first value: First, _ hub: CombiningHub<Self>)
  func receive(second value: Second, _ hub: CombiningHub<Self>)
  func receive(firstCompletion completion: SignalCompletion<FirstFailure>, _ hub: CombiningHub<Self>)
  func receive(secondCompletion completion: SignalCompletion<SecondFailure>, _ hub: CombiningHub<Self>)
}

extension CombiningOperator {
  @inlinable @inline(__always)
  static var leavesFirst: Bool { false }
}

extension CombiningOperator where State == Void {
  @inlinable @inline(__always)
  func makeState() {}
}

extension CombiningOperator where FirstFailure == Failure {
  @inlinable @inline(__always)
  func receive(firstCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    hub.finish(completion)
  }
}

extension CombiningOperator where SecondFailure == Failure {
  @inlinable @inline(__always)
  func receive(secondCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    hub.finish(completion)
  }
}

extension Signal {
  /// Applies an operator to this signal, which is subscribed to first, and another.
  @inlinable @inline(__always)
  func combined<Second: Signal, Operator: CombiningOperator>(
    with second: Second, _ operation: Operator
  ) -> some Signal<Operator.Output, Operator.Failure>
  where
    Operator.First == Element, Operator.FirstFailure == Failure, Operator.Second == Second.Element,
    Operator.SecondFailure == Second.Failure
  {
    HubSignal { open in
      let hub = CombiningHub(operation)
      return open(hub) {
        if Operator.leavesFirst { hub.upstreams.add(SignalSubscription(owner: hub.firstUpstreams)) }
        hub.firstUpstreams.add(subscribe(FirstInput(hub: hub)))
        hub.attach(SecondInput(hub: hub), to: second)
      }
    }
  }
}

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
