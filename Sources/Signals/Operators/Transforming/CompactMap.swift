extension Signal {
  /// Transforms each value, and sends the results that are not `nil`.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results that are not `nil`.
  @inlinable @inline(__always)
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output?
  ) -> CompactMapSignal<Self, Output> {
    CompactMapSignal(upstream: self, transform: transform)
  }
}

/// A signal of transformed values that are not `nil`; the result of ``Signal/compactMap(_:)``.
public struct CompactMapSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: @Sendable (Upstream.Element) -> Element?

  @inlinable @inline(__always)
  init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Element) -> Element?) {
    self.upstream = upstream
    self.transform = transform
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(CompactMapStage(downstream: subscriber, transform: transform))
  }
}

@usableFromInline
struct CompactMapStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Element) -> Downstream.Element?

  @inlinable @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Element) -> Downstream.Element?) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if let output = transform(value) { downstream.receive(output) }
  }
}
