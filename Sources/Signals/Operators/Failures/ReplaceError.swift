extension Signal {
  /// Sends a value in place of the failure, and finishes.
  ///
  /// - Parameter value: Sent if the signal fails, as its last value.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public func replaceError(with value: Element) -> ReplaceErrorSignal<Self> {
    ReplaceErrorSignal(upstream: self, replacement: value)
  }
}

/// A signal that ends with a value where another one fails; made by ``Signal/replaceError(with:)``.
@frozen
public struct ReplaceErrorSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The signal cannot fail.
  public typealias Failure = Never

  @usableFromInline let upstream: Upstream
  @usableFromInline let replacement: Element

  @inlinable @inline(__always)
  init(upstream: Upstream, replacement: Element) {
    self.upstream = upstream
    self.replacement = replacement
  }

  /// Attaches a subscriber to the upstream signal, behind the replacement.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    upstreams.add(
      upstream.subscribe(
        ReplaceErrorStage<Subscriber, Upstream.Failure>(
          downstream: subscriber, upstreams: upstreams, replacement: replacement
        )
      )
    )
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
@frozen
struct ReplaceErrorStage<Downstream: SignalSubscriber, Failure: Error>: SignalSubscriber
where Downstream.Failure == Never {
  @usableFromInline typealias Element = Downstream.Element

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let replacement: Element

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, replacement: Element) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.replacement = replacement
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if case .failure = completion, !isDone { downstream.receive(replacement) }
    // The value may have made the subscriber cancel.
    if !upstreams.isCancelled { downstream.receive(completion: .finished) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || downstream.isDone }
}
