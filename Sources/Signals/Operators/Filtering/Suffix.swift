extension Signal {
  /// Sends the last values when the signal finishes.
  ///
  /// A failure is passed on at once, and the kept values are dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = (1...9).signal.suffix(2).sink { print($0) }
  /// // Prints "8"
  /// // Prints "9"
  /// ```
  ///
  /// - Parameter maxLength: The maximum number of values to send; a negative number counts as 0.
  /// - Returns: A signal of at most `maxLength` values. They are sent in order, on the thread that finishes the
  ///   upstream signal.
  /// - Complexity: O(1) amortised for each value. At most `maxLength` values are kept.
  @inlinable @inline(__always)
  public func suffix(_ maxLength: Int) -> SuffixSignal<Self> {
    SuffixSignal(upstream: self, maxLength: maxLength)
  }
}

/// A signal of the last values; the result of ``Signal/suffix(_:)``.
public struct SuffixSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxLength: Int

  @inlinable @inline(__always)
  init(upstream: Upstream, maxLength: Int) {
    self.upstream = upstream
    self.maxLength = maxLength
  }

  /// Attaches a subscriber to the upstream signal, with a buffer of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    let stage = SuffixStage(downstream: subscriber, upstreams: upstreams, maxLength: maxLength)
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct SuffixStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let maxLength: Int
  @usableFromInline let kept = StageState(RingBuffer<Element>())

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, maxLength: Int) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.maxLength = maxLength
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    guard maxLength > 0 else { return }
    if kept.value.count == maxLength { kept.value.popFirst() }
    kept.value.append(value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>) {
    if case .finished = completion {
      // A subscriber may cancel, or need no more values, before all are sent.
      while !upstreams.isCancelled, !downstream.isDone, let value = kept.value.popFirst() { downstream.receive(value) }
    }
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }
}
