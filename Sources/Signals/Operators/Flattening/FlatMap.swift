extension Signal {
  /// Transforms each value into a signal, and sends the values of all these inner signals as they arrive.
  ///
  /// The result finishes when this signal and all inner signals have finished, and fails as soon as one of them fails.
  /// To run the inner signals one after another, in order, pass 1 for `maxConcurrent`.
  ///
  /// Inner signals are subscribed to one at a time. If a value arrives while another thread is subscribing to an inner
  /// signal, that thread subscribes to the new one as well. When an inner signal ends, its slot becomes free and
  /// the signal is released.
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
  ///   - maxConcurrent: The maximum number of inner signals that are active at the same time. Further values wait, in
  ///     order, until one finishes. A number below 1 counts as 1.
  ///   - transform: A closure that is called with each value when its turn comes, and returns the inner signal.
  /// - Returns: A signal of the values of all inner signals.
  @inlinable @inline(__always)
  public func flatMap<Inner: Signal>(
    maxConcurrent: Int = .max,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Failure> where Inner.Failure == Failure {
    FlatMapSignal(upstream: self, limit: Swift.max(1, maxConcurrent), transform: transform)
  }
}

extension Signal where Failure == Never {
  /// Transforms each value of this signal, which cannot fail, into a signal that can.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `flatMap(maxConcurrent:_:)`.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The maximum number of inner signals that are active at the same time.
  ///   - transform: A closure that is called with each value when its turn comes, and returns the inner signal.
  /// - Returns: A signal of the values of all inner signals.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func flatMap<Inner: Signal>(
    maxConcurrent: Int = .max,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMap(maxConcurrent: maxConcurrent, transform)
  }
}

/// A signal of the values of inner signals; the result of
/// ``Signal/flatMap(maxConcurrent:_:)->Signal<Inner.Element,Self.Failure>`` and
/// ``Signal/flatMapFirst(_:)->Signal<Inner.Element,Self.Failure>``.
@usableFromInline
struct FlatMapSignal<Upstream: Signal, Inner: Signal>: Signal where Inner.Failure == Upstream.Failure {
  /// The values of the inner signals.
  @usableFromInline typealias Element = Inner.Element

  /// The error of the upstream signal and of the inner signals.
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let limit: Int
  @usableFromInline let keepsExcess: Bool
  @usableFromInline let transform: @Sendable (Upstream.Element) -> Inner

  /// Creates the signal.
  ///
  /// - Parameters:
  ///   - upstream: The signal of the values from which inner signals are created.
  ///   - limit: The maximum number of active inner signals.
  ///   - keepsExcess: A Boolean value that indicates whether values beyond the limit wait; if not, they are dropped.
  ///   - transform: The closure that creates an inner signal.
  @inlinable @inline(__always)
  init(
    upstream: Upstream, limit: Int, keepsExcess: Bool = true, transform: @escaping @Sendable (Upstream.Element) -> Inner
  ) {
    self.upstream = upstream
    self.limit = limit
    self.keepsExcess = keepsExcess
    self.transform = transform
  }

  /// Attaches a subscriber to the upstream signal, and to an inner signal for each of its values.
  @inlinable @inline(__always)
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = FlatMapHub(limit: limit, keepsExcess: keepsExcess, transform: transform)
    let subscription = hub.core.subscribe(subscriber)
    subscription.bind(hub)
    hub.keep(upstream.subscribe(FlatMapOuter(hub: hub)))
    return subscription
  }
}

/// A subscriber that receives the values from which inner signals are created.
@usableFromInline
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
