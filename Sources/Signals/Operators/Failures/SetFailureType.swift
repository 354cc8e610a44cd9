extension Signal where Failure == Never {
  /// Declares a failure type for a signal that cannot fail, so that it can be combined with signals that can.
  ///
  /// - Parameter failureType: The failure type to declare.
  /// - Returns: A signal of the same values, which still never fails.
  @inlinable @inline(__always)
  public func setFailureType<NewFailure: Error>(
    to failureType: NewFailure.Type
  ) -> SetFailureTypeSignal<Self, NewFailure> {
    SetFailureTypeSignal(upstream: self)
  }
}

/// A signal that declares a failure type but never fails; the result of ``Signal/setFailureType(to:)``.
public struct SetFailureTypeSignal<Upstream: Signal, Failure: Error>: Signal where Upstream.Failure == Never {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  @usableFromInline let upstream: Upstream

  @inlinable @inline(__always)
  init(upstream: Upstream) {
    self.upstream = upstream
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(SetFailureTypeStage(downstream: subscriber))
  }
}

@usableFromInline
struct SetFailureTypeStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Never

  @usableFromInline let downstream: Downstream

  @inlinable @inline(__always)
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Never>) {
    downstream.receive(completion: .finished)
  }
}
