extension Signal {
  /// Sends a value in place of none, if the signal finishes without having sent one.
  ///
  /// - Parameter output: What to send then.
  /// - Returns: A signal of at least one value, unless it fails.
  @inlinable @inline(__always)
  public func replaceEmpty(with output: Element) -> ReplaceEmptySignal<Self> {
    ReplaceEmptySignal(upstream: self, output: output)
  }

  /// Sends a value in place of each `nil`.
  ///
  /// - Parameter output: What to send instead.
  /// - Returns: A signal of values that are not optional.
  @inlinable @inline(__always)
  public func replaceNil<Wrapped: Sendable>(with output: Wrapped) -> MapSignal<Self, Wrapped>
  where Element == Wrapped? {
    map { $0 ?? output }
  }
}

/// A signal that is not empty; made by ``Signal/replaceEmpty(with:)``.
@frozen
public struct ReplaceEmptySignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let output: Element

  @inlinable @inline(__always)
  init(upstream: Upstream, output: Element) {
    self.upstream = upstream
    self.output = output
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    upstreams.add(upstream.subscribe(ReplaceEmptyStage(downstream: subscriber, upstreams: upstreams, output: output)))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
@frozen
struct ReplaceEmptyStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let output: Element
  @usableFromInline let isEmpty = StageState(true)

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, output: Element) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.output = output
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    isEmpty.value = false
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if case .finished = completion, isEmpty.value { downstream.receive(output) }
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { downstream.isDone }
}
