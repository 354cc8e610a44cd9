extension Signal {
  /// Sends each value together with the latest value of another signal.
  ///
  /// Values that arrive before the other signal has sent are dropped. The result finishes with this signal, even if the
  /// other one continues, and fails as soon as one of them fails. The other signal is subscribed to first. It may
  /// therefore be this same signal, or be derived from it: each value is then paired with the one that the other signal
  /// derived from it.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let text = MutableProperty("draft")
  /// let saves = Emitter<Int, Never>()
  /// let subscription = saves.withLatest(from: text).sink { print("save", $0, $1) }
  /// saves.send(1)  // Prints "save 1 draft"
  /// text.value = "final"
  /// saves.send(2)  // Prints "save 2 final"
  /// ```
  ///
  /// - Parameter other: The signal whose latest value is used.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func withLatest<Other: Signal>(
    from other: Other
  ) -> WithLatestSignal<Self, Other, (Element, Other.Element)> where Other.Failure == Failure {
    WithLatestSignal(upstream: self, other: other, transform: { ($0, $1) })
  }

  /// Sends the result of combining each value with the latest value of another signal.
  ///
  /// Values that arrive before the other signal has sent are dropped. See ``withLatest(from:)``.
  ///
  /// - Parameters:
  ///   - other: The signal whose latest value is used.
  ///   - transform: A closure that combines a value with the latest value of the other signal.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func withLatest<Other: Signal, Output: Sendable>(
    from other: Other,
    _ transform: @escaping @Sendable (Element, Other.Element) -> Output
  ) -> WithLatestSignal<Self, Other, Output> where Other.Failure == Failure {
    WithLatestSignal(upstream: self, other: other, transform: transform)
  }
}

/// A signal of values combined with the latest of another signal; the result of ``Signal/withLatest(from:)``.
public struct WithLatestSignal<Upstream: Signal, Other: Signal, Element: Sendable>: Signal
where Other.Failure == Upstream.Failure {
  /// The error of either signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let other: Other
  @usableFromInline let transform: @Sendable (Upstream.Element, Other.Element) -> Element

  @inlinable @inline(__always)
  init(
    upstream: Upstream,
    other: Other,
    transform: @escaping @Sendable (Upstream.Element, Other.Element) -> Element
  ) {
    self.upstream = upstream
    self.other = other
    self.transform = transform
  }

  /// Attaches a subscriber to both signals, first to the other one.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = WithLatestHub<Upstream.Element, Other.Element, Element, Failure>(transform: transform)
    let subscription = hub.open(for: subscriber)
    hub.attach(WithLatestOther(hub: hub), to: other)
    hub.attach(WithLatestStage(hub: hub), to: upstream)
    return subscription
  }
}

/// The object at which a signal meets the other one, whose latest value it uses.
@usableFromInline
final class WithLatestHub<Value: Sendable, Latest: Sendable, Output: Sendable, Failure: Error>: InputHub,
  @unchecked Sendable
{
  // Sound: `latest` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Output, Failure>()
  @usableFromInline let upstreams = Upstreams()
  @usableFromInline let transform: @Sendable (Value, Latest) -> Output
  @exclusivity(unchecked) @usableFromInline var latest: Latest?

  @inlinable
  init(transform: @escaping @Sendable (Value, Latest) -> Output) {
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(latest value: Latest) {
    core.withTurn { [self] in latest = value }
  }

  @inlinable @inline(__always)
  func receive(_ value: Value) {
    core.withTurn { [self] in deliver(value) }
  }

  @inlinable @inline(__always)
  func deliver(_ value: Value) {
    // The closure must not be called after the end or after a cancellation.
    guard let latest, !upstreams.isCancelled else { return }
    core.deliver(transform(value, latest))
  }
}

@usableFromInline
struct WithLatestStage<Element: Sendable, Latest: Sendable, Output: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: WithLatestHub<Element, Latest, Output, Failure>

  @inlinable @inline(__always)
  init(hub: WithLatestHub<Element, Latest, Output, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}

@usableFromInline
struct WithLatestOther<Value: Sendable, Element: Sendable, Output: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: WithLatestHub<Value, Element, Output, Failure>

  @inlinable @inline(__always)
  init(hub: WithLatestHub<Value, Element, Output, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.receive(latest: value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    // After `other` has finished, its last value stays the latest.
    if case .failure = completion { hub.end(completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
