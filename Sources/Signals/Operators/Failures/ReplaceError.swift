extension Signal {
  /// Replaces a failure with a value, and then finishes.
  ///
  /// - Parameter value: The value to send, as the last one, if the signal fails.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public func replaceError(with value: Element) -> ReplaceErrorSignal<Self> {
    ReplaceErrorSignal(upstream: self, replacement: value)
  }
}

/// A signal that sends a value instead of failing; the result of ``Signal/replaceError(with:)``.
public struct ReplaceErrorSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// `Never`: the signal cannot fail.
  public typealias Failure = Never

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
    // The subscriber may have cancelled when it received the value.
    if !upstreams.isCancelled { downstream.receive(completion: .finished) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || downstream.isDone }
}
