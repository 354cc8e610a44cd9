extension Signal {
  /// Replaces a failure with another signal.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct Offline: Error {}
  /// let fetched = FailSignal<String, Offline>(Offline())
  /// let subscription = fetched.catch { _ in JustSignal("from the cache") }.sink { print($0) }
  /// // Prints "from the cache"
  /// ```
  ///
  /// - Parameter handler: A closure that is called with the error, on the thread that sends it, and returns the signal
  ///   to continue with. The result fails only if that signal fails.
  /// - Returns: A signal of the values of this signal and, after a failure, of the other.
  @inlinable @inline(__always)
  public func `catch`<Replacement: Signal>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> CatchSignal<Self, Replacement> where Replacement.Element == Element {
    CatchSignal(upstream: self, handler: handler)
  }
}

/// A signal that continues with another after a failure; the result of ``Signal/catch(_:)``.
public struct CatchSignal<Upstream: Signal, Replacement: Signal>: Signal
where Replacement.Element == Upstream.Element {
  /// The values of both signals.
  public typealias Element = Upstream.Element

  /// The error of the replacement signal.
  public typealias Failure = Replacement.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let handler: @Sendable (Upstream.Failure) -> Replacement

  @inlinable @inline(__always)
  init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> Replacement) {
    self.upstream = upstream
    self.handler = handler
  }

  /// Attaches a subscriber to the upstream signal and, if that fails, to its replacement.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let current = CurrentUpstream()
    let input = current.begin()
    let stage = CatchStage(downstream: subscriber, current: current, handler: handler)
    current.keep(upstream.subscribe(stage), of: input)
    return SignalSubscription(owner: current)
  }
}

@usableFromInline
struct CatchStage<Downstream: SignalSubscriber, Replacement: Signal, Failure: Error>: SignalSubscriber
where Replacement.Element == Downstream.Element, Replacement.Failure == Downstream.Failure {
  @usableFromInline typealias Element = Downstream.Element

  @usableFromInline let downstream: Downstream
  @usableFromInline let current: CurrentUpstream
  @usableFromInline let handler: @Sendable (Failure) -> Replacement

  @inlinable @inline(__always)
  init(
    downstream: Downstream,
    current: CurrentUpstream,
    handler: @escaping @Sendable (Failure) -> Replacement
  ) {
    self.downstream = downstream
    self.current = current
    self.handler = handler
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>) {
    switch completion {
    case .finished: downstream.receive(completion: .finished)
    case .failure(let error):
      guard !isDone else { return }
      let replacement = handler(error)
      // The handler may have cancelled the subscription.
      guard !isDone else { return }
      let input = current.begin()
      current.keep(replacement.subscribe(CurrentStage(downstream: downstream, current: current)), of: input)
    }
  }

  @inlinable @inline(__always)
  var isDone: Bool { current.isCancelled || downstream.isDone }
}

/// A subscriber that passes on the values of an input until the subscription is cancelled.
///
/// An input that is subscribed to late may send before its token is kept, when it cannot yet be cancelled.
@usableFromInline
struct CurrentStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let current: CurrentUpstream

  @inlinable @inline(__always)
  init(downstream: Downstream, current: CurrentUpstream) {
    self.downstream = downstream
    self.current = current
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if !current.isCancelled { downstream.receive(value) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if !current.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { current.isCancelled || downstream.isDone }
}
