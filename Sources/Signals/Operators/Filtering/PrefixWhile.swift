extension Signal {
  /// Sends values as long as they satisfy a condition, and then finishes.
  ///
  /// The upstream subscription is cancelled at the first value that does not satisfy the condition. That value is not
  /// sent.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, and returns `true`
  ///   to continue.
  /// - Returns: A signal of the values before the first one that does not satisfy the condition.
  @inlinable @inline(__always)
  public func prefix(while predicate: @escaping @Sendable (Element) -> Bool) -> PrefixWhileSignal<Self> {
    PrefixWhileSignal(upstream: self, predicate: predicate)
  }
}

/// A signal that ends when a value fails a condition; the result of ``Signal/prefix(while:)``.
public struct PrefixWhileSignal<Upstream: Signal>: Signal {
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
    let upstreams = Upstreams()
    let stage = PrefixWhileStage(downstream: subscriber, upstreams: upstreams, predicate: predicate)
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct PrefixWhileStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let predicate: @Sendable (Element) -> Bool
  @usableFromInline let hasEnded = StageState(false)

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, predicate: @escaping @Sendable (Element) -> Bool) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.predicate = predicate
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    guard !hasEnded.value else { return }
    if predicate(value) {
      // The closure may have cancelled the subscription.
      if !upstreams.isCancelled { downstream.receive(value) }
      return
    }
    hasEnded.value = true
    downstream.finish(cancelling: upstreams)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if !hasEnded.value { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hasEnded.value || downstream.isDone }
}
