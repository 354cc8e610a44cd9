extension Signal {
  /// Transforms each value.
  ///
  /// The closures of consecutive `map`s become one. Those that capture nothing are inlined into it, so that a chain of
  /// them costs about as much as a single `map`.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<_MapUpstream, Output> {
    _mapped(transform)
  }
}

extension Signal where _MapUpstream == Self {
  // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
  @inlinable @inline(__always)
  public func _mapped<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<Self, Output> {
    MapSignal(upstream: self, transform: transform)
  }
}

/// A signal of transformed values; the result of ``Signal/map(_:)``.
public struct MapSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
  public typealias _MapUpstream = Upstream

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: @Sendable (Upstream.Element) -> Element

  @inlinable @inline(__always)
  init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Element) -> Element) {
    (self.upstream, self.transform) = (upstream, transform)
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    upstream.subscribe(MapStage(downstream: subscriber, transform: transform))
  }

  // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
  @inlinable @inline(__always)
  public func _mapped<Output: Sendable>(
    _ next: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<Upstream, Output> {
    // Not `self` in the closure: the compiler inlines only closures that are captured directly.
    let transform = transform
    return MapSignal<Upstream, Output>(upstream: upstream) { next(transform($0)) }
  }
}

/// A stage of its own, and not a ``SignalOperator``, so that the closures of several can become one.
@usableFromInline
struct MapStage<Downstream: SignalSubscriber, Element: Sendable>: SignalSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Element) -> Downstream.Element

  @inlinable @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Element) -> Downstream.Element) {
    (self.downstream, self.transform) = (downstream, transform)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(transform(value))
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { downstream.isDone }
}
