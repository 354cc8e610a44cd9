extension Signal {
  /// Drops values as long as they satisfy a condition.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, until it returns
  ///   `false`.
  /// - Returns: A signal that begins with the first value that does not satisfy the condition.
  @inlinable @inline(__always)
  public func drop(while predicate: @escaping @Sendable (Element) -> Bool) -> DropWhileSignal<Self> {
    DropWhileSignal(upstream: self, predicate: predicate)
  }
}

/// A signal that begins with the first value that fails a condition; the result of ``Signal/drop(while:)``.
public struct DropWhileSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let predicate: @Sendable (Element) -> Bool

  @inlinable @inline(__always)
  init(upstream: Upstream, predicate: @escaping @Sendable (Element) -> Bool) {
    self.upstream = upstream
    self.predicate = predicate
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(DropWhileStage(downstream: subscriber, predicate: predicate))
  }
}

@usableFromInline
struct DropWhileStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let predicate: @Sendable (Element) -> Bool
  @usableFromInline let hasBegun = StageState(false)

  @inlinable @inline(__always)
  init(downstream: Downstream, predicate: @escaping @Sendable (Element) -> Bool) {
    self.downstream = downstream
    self.predicate = predicate
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if !hasBegun.value {
      if predicate(value) { return }
      hasBegun.value = true
    }
    downstream.receive(value)
  }
}
