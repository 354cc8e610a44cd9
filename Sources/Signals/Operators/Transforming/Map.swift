extension Signal {
  /// Transforms each value.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<MapUpstream, Output> {
    mapped(transform)
  }
}

extension Signal where MapUpstream == Self {
  /// Transforms each value; the default for all signals but ``MapSignal``.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func mapped<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<Self, Output> {
    MapSignal(upstream: self, transform: transform)
  }
}

/// A signal of transformed values; the result of ``Signal/map(_:)``.
public struct MapSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  /// The upstream signal, because another `map` becomes part of this one.
  public typealias MapUpstream = Upstream

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: @Sendable (Upstream.Element) -> Element

  @inlinable @inline(__always)
  init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Element) -> Element) {
    self.upstream = upstream
    self.transform = transform
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(MapStage(downstream: subscriber, transform: transform))
  }

  /// Transforms each value a second time.
  ///
  /// Both closures become one. Closures that capture nothing are inlined into it, so that a chain of them costs about
  /// as much as a single `map`.
  ///
  /// - Parameter next: A closure that is called with each result, on the thread that sends the value.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func mapped<Output: Sendable>(
    _ next: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<Upstream, Output> {
    // Not `self` in the closure: the compiler inlines only closures that are captured directly.
    let transform = transform
    return MapSignal<Upstream, Output>(upstream: upstream) { next(transform($0)) }
  }
}

@usableFromInline
struct MapStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Element) -> Downstream.Element

  @inlinable @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Element) -> Downstream.Element) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(transform(value))
  }
}
