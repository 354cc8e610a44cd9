extension Signal {
  /// Makes a signal of each value, and sends what all of those send, as it comes.
  ///
  /// The result finishes when this signal and all the inner ones have finished, and fails as soon as one of them fails.
  /// To have the inner signals one after the other, in order, let `maxConcurrent` be 1.
  ///
  /// Inner signals are subscribed to one at a time: a value that comes while another thread is subscribing to the
  /// signal of the value before is left to that thread. An inner signal's place is free as soon as it has ended, and
  /// nothing is kept of it.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let pages = [1, 2].signal.flatMap(maxConcurrent: 1) { page in ["\(page)a", "\(page)b"].signal }
  /// let subscription = pages.sink { print($0) }
  /// // Prints "1a"
  /// // Prints "1b"
  /// // Prints "2a"
  /// // Prints "2b"
  /// ```
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many inner signals may be subscribed to at a time; values beyond that wait, in order, for
  ///     one to finish. A number below 1 counts as 1.
  ///   - transform: Called with each value when it is its turn; returns the inner signal.
  /// - Returns: A signal of the values of all inner signals.
  @inlinable @inline(__always)
  public func flatMap<Inner: Signal>(
    maxConcurrent: Int = .max,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> FlatMapSignal<Self, Inner> where Inner.Failure == Failure {
    FlatMapSignal(upstream: self, limit: Swift.max(1, maxConcurrent), transform: transform)
  }
}

extension Signal where Failure == Never {
  /// Makes a signal that can fail of each value of this one, which cannot.
  ///
  /// It is ``setFailureType(to:)`` followed by `flatMap(maxConcurrent:_:)`.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of inner signals that may be subscribed to at a time.
  ///   - transform: Called with each value when it is its turn; returns the inner signal.
  /// - Returns: A signal of the values of all inner signals.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func flatMap<Inner: Signal>(
    maxConcurrent: Int = .max,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> FlatMapSignal<SetFailureTypeSignal<Self, Inner.Failure>, Inner> {
    setFailureType(to: Inner.Failure.self).flatMap(maxConcurrent: maxConcurrent, transform)
  }
}

/// A signal of the values of signals made from values; made by
/// ``Signal/flatMap(maxConcurrent:_:)->FlatMapSignal<Self,Inner>``.
@frozen
public struct FlatMapSignal<Upstream: Signal, Inner: Signal>: Signal where Inner.Failure == Upstream.Failure {
  /// The values of the inner signals.
  public typealias Element = Inner.Element

  /// The error of the upstream signal and of the inner ones.
  public typealias Failure = Inner.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let limit: Int
  @usableFromInline let transform: @Sendable (Upstream.Element) -> Inner

  @inlinable @inline(__always)
  init(upstream: Upstream, limit: Int, transform: @escaping @Sendable (Upstream.Element) -> Inner) {
    self.upstream = upstream
    self.limit = limit
    self.transform = transform
  }

  /// Attaches a subscriber to the upstream signal, and to an inner signal for each of its values.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = FlatMapHub(limit: limit, transform: transform)
    let subscription = hub.core.subscribe(subscriber)
    subscription.bind(hub)
    hub.keep(upstream.subscribe(FlatMapOuter(hub: hub)))
    return subscription
  }
}

/// Takes the values that inner signals are made of.
@usableFromInline
@frozen
struct FlatMapOuter<Element: Sendable, Inner: Signal>: SignalSubscriber {
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let hub: FlatMapHub<Element, Inner>

  @inlinable @inline(__always)
  init(hub: FlatMapHub<Element, Inner>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.receiveOuter(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}

/// Takes the values of one inner signal.
@usableFromInline
@frozen
struct FlatMapInner<Value: Sendable, Inner: Signal>: SignalSubscriber {
  @usableFromInline typealias Element = Inner.Element
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let hub: FlatMapHub<Value, Inner>

  /// The place of the inner signal's token.
  @usableFromInline let place: Int

  @inlinable @inline(__always)
  init(hub: FlatMapHub<Value, Inner>, place: Int) {
    self.hub = hub
    self.place = place
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.core.send(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.receiveInner(completion, at: place)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
