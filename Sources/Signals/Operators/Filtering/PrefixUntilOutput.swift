extension Signal {
  /// Sends values until another signal sends a value, and then finishes.
  ///
  /// The other signal is subscribed to first; its completion has no effect. The two signals may send from different
  /// threads.
  ///
  /// A property sends its current value at once. Pass its `changes` to wait for the next one.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let readings = Emitter<Int, Never>()
  /// let stop = Emitter<Void, Never>()
  /// let subscription = readings.prefix(untilOutputFrom: stop).sink { print($0) }
  /// readings.send(1)  // Prints "1"
  /// stop.send()
  /// readings.send(2)
  /// ```
  ///
  /// - Parameter other: The signal whose first value ends this one.
  /// - Returns: A signal of the values that arrive before the other signal sends.
  @inlinable @inline(__always)
  public func prefix<Other: Signal>(untilOutputFrom other: Other) -> PrefixUntilOutputSignal<Self, Other> {
    PrefixUntilOutputSignal(upstream: self, other: other)
  }
}

/// A signal that ends when another one sends; the result of ``Signal/prefix(untilOutputFrom:)``.
public struct PrefixUntilOutputSignal<Upstream: Signal, Other: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
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
    let hub = PrefixUntilOutputHub<Element, Failure>()
    let subscription = hub.open(for: subscriber)
    let trigger = PrefixUntilOutputTrigger<Element, Failure, Other.Element, Other.Failure>(hub: hub)
    hub.attach(trigger, to: other)
    hub.attach(PrefixUntilOutputInput(hub: hub), to: upstream)
    return subscription
  }
}

/// The object at which a signal meets the one that ends it.
@usableFromInline
final class PrefixUntilOutputHub<Element: Sendable, Failure: Error>: InputHub {
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()

  @inlinable
  init() {}
}

@usableFromInline
struct PrefixUntilOutputInput<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: PrefixUntilOutputHub<Element, Failure>

  @inlinable @inline(__always)
  init(hub: PrefixUntilOutputHub<Element, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.core.send(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}

@usableFromInline
struct PrefixUntilOutputTrigger<Output: Sendable, OutputFailure: Error, Element: Sendable, Failure: Error>:
  SignalSubscriber
{
  @usableFromInline let hub: PrefixUntilOutputHub<Output, OutputFailure>

  @inlinable @inline(__always)
  init(hub: PrefixUntilOutputHub<Output, OutputFailure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.end(.finished)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {}

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
