extension Signal {
  /// Drops values until another signal sends a value.
  ///
  /// The other signal is subscribed to first, and is cancelled after its first value. If it finishes or fails without a
  /// value, the result ends in the same way. The two signals may send from different threads.
  ///
  /// A property sends its current value at once. Pass its `changes` to wait for the next one.
  ///
  /// - Parameter other: The signal whose first value opens this one.
  /// - Returns: A signal of the values that arrive after the other signal has sent.
  @inlinable @inline(__always)
  public func drop<Other: Signal>(untilOutputFrom other: Other) -> DropUntilOutputSignal<Self, Other>
  where Other.Failure == Failure {
    DropUntilOutputSignal(upstream: self, other: other)
  }
}

/// A signal that begins when another one sends; the result of ``Signal/drop(untilOutputFrom:)``.
public struct DropUntilOutputSignal<Upstream: Signal, Other: Signal>: Signal where Upstream.Failure == Other.Failure {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of either signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let other: Other

  @inlinable @inline(__always)
  init(upstream: Upstream, other: Other) {
    self.upstream = upstream
    self.other = other
  }

  /// Attaches a subscriber to both signals, first to the other one.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = DropUntilOutputHub<Element, Failure>()
    let subscription = hub.open(for: subscriber)
    hub.gate.add(other.subscribe(DropUntilOutputTrigger<Element, Other.Element, Failure>(hub: hub)))
    hub.upstreams.add(SignalSubscription(owner: hub.gate))
    hub.attach(DropUntilOutputInput(hub: hub), to: upstream)
    return subscription
  }
}

/// The object at which a signal meets the one that opens it.
@usableFromInline
final class DropUntilOutputHub<Element: Sendable, Failure: Error>: InputHub {
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// The subscription to the other signal; cancelled after its first value.
  @usableFromInline let gate = Upstreams()

  @inlinable
  init() {}
}

@usableFromInline
struct DropUntilOutputInput<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: DropUntilOutputHub<Element, Failure>

  @inlinable @inline(__always)
  init(hub: DropUntilOutputHub<Element, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if hub.gate.isCancelled { hub.core.send(value) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}

@usableFromInline
struct DropUntilOutputTrigger<Output: Sendable, Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: DropUntilOutputHub<Output, Failure>

  @inlinable @inline(__always)
  init(hub: DropUntilOutputHub<Output, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.gate.cancelAll()
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if !hub.gate.isCancelled { hub.end(completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.gate.isCancelled || hub.core.isDone }
}
