extension Signal {
  /// Drops the first values.
  ///
  /// - Parameter count: The number of values to drop; a negative count counts as 0.
  /// - Returns: A signal of the remaining values.
  @inlinable @inline(__always)
  public func dropFirst(_ count: Int = 1) -> DropFirstSignal<Self> {
    DropFirstSignal(upstream: self, count: count)
  }
}

/// A signal without the first values; the result of ``Signal/dropFirst(_:)``.
public struct DropFirstSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int

  @inlinable @inline(__always)
  init(upstream: Upstream, count: Int) {
    self.upstream = upstream
    self.count = count
  }

  /// Attaches a subscriber to the upstream signal, with a count of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(DropFirstStage(downstream: subscriber, count: count))
  }
}

@usableFromInline
struct DropFirstStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let remaining: StageState<Int>

  @inlinable @inline(__always)
  init(downstream: Downstream, count: Int) {
    self.downstream = downstream
    self.remaining = StageState(count)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if remaining.value <= 0 { return downstream.receive(value) }
    remaining.value -= 1
  }
}
