extension Signal {
  /// Drops all values and sends only the completion.
  ///
  /// - Returns: A signal that sends no value.
  @inlinable @inline(__always)
  public func ignoreOutput() -> IgnoreOutputSignal<Self> {
    IgnoreOutputSignal(upstream: self)
  }
}

/// A signal that sends only a completion; the result of ``Signal/ignoreOutput()``.
public struct IgnoreOutputSignal<Upstream: Signal>: Signal {
  /// `Never`: there are no values.
  public typealias Element = Never

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream

  @inlinable @inline(__always)
  init(upstream: Upstream) {
    self.upstream = upstream
  }

  /// Attaches a subscriber to the upstream signal, for its completion only.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Never, Failure>>(_ subscriber: Subscriber) -> SignalSubscription {
    upstream.subscribe(IgnoreOutputStage<Subscriber, Upstream.Element>(downstream: subscriber))
  }
}

@usableFromInline
struct IgnoreOutputStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream

  @inlinable @inline(__always)
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {}
}
