extension Signal {
  /// Collects successive values that belong together into arrays.
  ///
  /// An array is sent when the first value arrives that does not belong to it, and the last array when the signal
  /// finishes. A failure is passed on at once, and the incomplete array is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let runs = [10, 20, 20, 5, 6].signal.chunked { $0 <= $1 }
  /// let subscription = runs.sink { print($0) }
  /// // Prints "[10, 20, 20]"
  /// // Prints "[5, 6]"
  /// ```
  ///
  /// - Parameter belongInSameChunk: A closure that is called with each value and the next one, on the thread that sends
  ///   the second of them. It returns `true` if they belong to the same array.
  /// - Returns: A signal of non-empty arrays.
  /// - Complexity: O(1) amortised for each value. The values of one array are kept.
  @inlinable @inline(__always)
  public func chunked(
    by belongInSameChunk: @escaping @Sendable (Element, Element) -> Bool
  ) -> ChunkedByPredicateSignal<Self> {
    ChunkedByPredicateSignal(upstream: self, belongInSameChunk: belongInSameChunk)
  }
}

/// A signal of values that belong together; the result of ``Signal/chunked(by:)->ChunkedByPredicateSignal<Self>``.
public struct ChunkedByPredicateSignal<Upstream: Signal>: Signal {
  /// An array of values of the upstream signal, in order.
  public typealias Element = [Upstream.Element]

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let belongInSameChunk: @Sendable (Upstream.Element, Upstream.Element) -> Bool

  @inlinable @inline(__always)
  init(upstream: Upstream, belongInSameChunk: @escaping @Sendable (Upstream.Element, Upstream.Element) -> Bool) {
    self.upstream = upstream
    self.belongInSameChunk = belongInSameChunk
  }

  /// Attaches a subscriber to the upstream signal, with an array of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    let stage = ChunkedByPredicateStage(
      downstream: subscriber, upstreams: upstreams, belongInSameChunk: belongInSameChunk
    )
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct ChunkedByPredicateStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage
where Downstream.Element == [Element] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let belongInSameChunk: @Sendable (Element, Element) -> Bool
  @usableFromInline let chunk = StageState<[Element]>([])

  @inlinable @inline(__always)
  init(
    downstream: Downstream, upstreams: Upstreams, belongInSameChunk: @escaping @Sendable (Element, Element) -> Bool
  ) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.belongInSameChunk = belongInSameChunk
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if let last = chunk.value.last, !belongInSameChunk(last, value) { sendChunk() }
    chunk.value.append(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if case .finished = completion, !chunk.value.isEmpty { sendChunk() }
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable
  func sendChunk() {
    let complete = chunk.value
    chunk.value = []
    // The closure may have cancelled the subscription.
    if !upstreams.isCancelled { downstream.receive(complete) }
  }
}
