extension Signal {
  /// Leaves out values until another signal has sent one.
  ///
  /// The other signal is subscribed to first, and cancelled with its first value. If it finishes without one, nothing
  /// could ever be sent, and the result finishes too; if it fails without one, the result fails. Both may send from
  /// different threads.
  ///
  /// - Parameter other: The signal whose first value lets the values through.
  /// - Returns: A signal of the values after that.
  @inlinable @inline(__always)
  public func drop<Other: Signal>(untilOutputFrom other: Other) -> DropUntilOutputSignal<Self, Other>
  where Other.Failure == Failure {
    DropUntilOutputSignal(upstream: self, other: other)
  }
}

/// A signal that another one lets begin; made by ``Signal/drop(untilOutputFrom:)``.
@frozen
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

  /// Attaches a subscriber to the upstream signal, behind the other one.
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

/// Where a signal meets the one that lets it begin.
@usableFromInline
final class DropUntilOutputHub<Element: Sendable, Failure: Error>: InputHub {
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// The subscription to the other signal; cancelled once that has sent.
  @usableFromInline let gate = Upstreams()

  @inlinable
  init() {}
}

@usableFromInline
@frozen
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
@frozen
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
