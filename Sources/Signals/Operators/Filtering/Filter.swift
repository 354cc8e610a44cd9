extension Signal {
  /// Sends only the values that satisfy a condition.
  ///
  /// - Parameter isIncluded: A closure that is called with each value, on the thread that sends it, and returns `true`
  ///   to keep it.
  /// - Returns: A signal of the values that satisfy the condition.
  @inlinable @inline(__always)
  public func filter(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> FilterSignal<Self> {
    FilterSignal(upstream: self, isIncluded: isIncluded)
  }
}

/// A signal of the values that satisfy a condition; the result of ``Signal/filter(_:)``.
public struct FilterSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isIncluded: @Sendable (Element) -> Bool

  @inlinable @inline(__always)
  init(upstream: Upstream, isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.upstream = upstream
    self.isIncluded = isIncluded
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(FilterStage(downstream: subscriber, isIncluded: isIncluded))
  }
}

@usableFromInline
struct FilterStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let isIncluded: @Sendable (Element) -> Bool

  @inlinable @inline(__always)
  init(downstream: Downstream, isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if isIncluded(value) { downstream.receive(value) }
  }
}
