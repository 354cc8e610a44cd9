/// An operator's stage with one upstream and one downstream, which passes on the completion unchanged.
///
/// It is done when its downstream is done. A stage that treats the completion differently implements that method
/// itself.
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
