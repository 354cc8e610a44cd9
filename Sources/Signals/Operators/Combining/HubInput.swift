/// An object that several signals send to, or one of them after another.
@usableFromInline
protocol InputReceiver: AnyObject, Sendable {
  associatedtype Input: Sendable
  associatedtype InputFailure: Error

  /// What distinguishes one input from the others.
  associatedtype Key: Sendable = Void

  func receive(_ value: Input, from key: Key)
  func receive(completion: SignalCompletion<InputFailure>, from key: Key)

  /// Returns a Boolean value that indicates whether no more values of an input are needed.
  func isDone(_ key: Key) -> Bool
}

/// The subscriber of one input.
@usableFromInline
struct HubInput<Hub: InputReceiver>: SignalSubscriber {
  @usableFromInline let hub: Hub
  @usableFromInline let key: Hub.Key

  @inlinable @inline(__always)
  init(_ hub: Hub, _ key: Hub.Key) {
    (self.hub, self.key) = (hub, key)
  }

  @inlinable @inline(__always)
  func receive(_ value: Hub.Input) {
    hub.receive(value, from: key)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Hub.InputFailure>) {
    hub.receive(completion: completion, from: key)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone(key) }
}

extension HubInput where Hub.Key == Void {
  @inlinable @inline(__always)
  init(_ hub: Hub) {
    self.init(hub, ())
  }
}

extension HubInput: OperatorStep, IndirectStep {
  var operation: Hub { hub }

  var next: Any? { (hub as? any IndirectStep)?.next }
}
