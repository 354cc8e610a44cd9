/// An operator's part of a subscription that has one upstream and one downstream, and adds nothing to the end.
///
/// It passes on the completion, and says that it is done when its downstream is. A stage that treats the completion in
/// its own way implements that method itself.
@usableFromInline
protocol PassThroughStage<Downstream>: SignalSubscriber {
  associatedtype Downstream: SignalSubscriber

  /// The next subscriber.
  var downstream: Downstream { get }
}

extension PassThroughStage {
  @inlinable @inline(__always)
  var isDone: Bool { downstream.isDone }
}

extension PassThroughStage where Downstream.Failure == Failure {
  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    downstream.receive(completion: completion)
  }
}
