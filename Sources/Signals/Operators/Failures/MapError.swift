extension Signal {
  /// Transforms the error that ends the signal.
  ///
  /// Use this operator to give several signals the same failure type.
  ///
  /// - Parameter transform: A closure that is called with the error, if there is one, on the thread that sends it.
  /// - Returns: A signal of the same values that fails with the transformed error.
  @inlinable @inline(__always)
  public func mapError<NewFailure: Error>(
    _ transform: @escaping @Sendable (Failure) -> NewFailure
  ) -> MapErrorSignal<Self, NewFailure> {
    MapErrorSignal(upstream: self, transform: transform)
  }
}

/// A signal with a transformed error; the result of ``Signal/mapError(_:)``.
public struct MapErrorSignal<Upstream: Signal, Failure: Error>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: @Sendable (Upstream.Failure) -> Failure

  @inlinable @inline(__always)
  init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure) {
    self.upstream = upstream
    self.transform = transform
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(MapErrorStage(downstream: subscriber, transform: transform))
  }
}

@usableFromInline
struct MapErrorStage<Downstream: SignalSubscriber, Failure: Error>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Failure) -> Downstream.Failure

  @inlinable @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    switch completion {
    case .finished: downstream.receive(completion: .finished)
    case .failure(let error): downstream.receive(completion: .failure(transform(error)))
    }
  }
}
