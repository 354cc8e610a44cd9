extension Signal {
  /// Sends a value if the signal finishes without having sent one.
  ///
  /// - Parameter value: The value to send in that case.
  /// - Returns: A signal that sends at least one value, unless it fails.
  @inlinable @inline(__always)
  public func replaceEmpty(with value: Element) -> ReplaceEmptySignal<Self> {
    ReplaceEmptySignal(upstream: self, replacement: value)
  }

  /// Replaces each `nil` with a value.
  ///
  /// - Parameter value: The replacement for `nil`.
  /// - Returns: A signal of non-optional values.
  @inlinable @inline(__always)
  public func replaceNil<Wrapped: Sendable>(with value: Wrapped) -> MapSignal<MapUpstream, Wrapped>
  where Element == Wrapped? {
    map { $0 ?? value }
  }
}

/// A signal that is never empty; the result of ``Signal/replaceEmpty(with:)``.
public struct ReplaceEmptySignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let replacement: Element

  @inlinable @inline(__always)
  init(upstream: Upstream, replacement: Element) {
    self.upstream = upstream
    self.replacement = replacement
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    let stage = ReplaceEmptyStage(downstream: subscriber, upstreams: upstreams, replacement: replacement)
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct ReplaceEmptyStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let replacement: Element
  @usableFromInline let isEmpty = StageState(true)

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, replacement: Element) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.replacement = replacement
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    isEmpty.value = false
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if case .finished = completion, isEmpty.value { downstream.receive(replacement) }
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }
}
