extension Signal {
  /// Sends each value together with the previous one.
  ///
  /// Nothing is sent for the first value, which has no previous one. AsyncAlgorithms calls this operator
  /// `adjacentPairs`, and ReactiveSwift `combinePrevious`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let level = MutableProperty(1)
  /// let subscription = level.pairwise().sink { old, new in print("from", old, "to", new) }
  /// level.value = 4  // Prints "from 1 to 4"
  /// level.value = 2  // Prints "from 4 to 2"
  /// ```
  ///
  /// - Returns: A signal of pairs, each sent on the thread that sends its second value. It keeps one value.
  /// - Complexity: O(1) for each value, without an allocation.
  @inlinable @inline(__always)
  public func pairwise() -> PairwiseSignal<Self> {
    PairwiseSignal(upstream: self)
  }
}

/// A signal of pairs of successive values; the result of ``Signal/pairwise()``.
public struct PairwiseSignal<Upstream: Signal>: Signal {
  /// A value and the one that followed it.
  public typealias Element = (Upstream.Element, Upstream.Element)

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream

  @inlinable @inline(__always)
  init(upstream: Upstream) {
    self.upstream = upstream
  }

  /// Attaches a subscriber to the upstream signal, with a previous value of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(PairwiseStage<Subscriber, Upstream.Element>(downstream: subscriber))
  }
}

@usableFromInline
struct PairwiseStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage
where Downstream.Element == (Element, Element) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let previous = StageState<Element?>(nil)

  @inlinable @inline(__always)
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let previous = previous.value
    self.previous.value = value
    if let previous { downstream.receive((previous, value)) }
  }
}
