extension Signal {
  /// Collects values into arrays of a fixed size.
  ///
  /// When the signal finishes, the last array is sent even if it is smaller.
  ///
  /// A failure is passed on, and the incomplete array is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = (1...5).signal.collect(2).sink { print($0) }
  /// // Prints "[1, 2]"
  /// // Prints "[3, 4]"
  /// // Prints "[5]"
  /// ```
  ///
  /// - Parameter count: The size of an array; a number below 1 counts as 1.
  /// - Returns: A signal of non-empty arrays.
  @inlinable @inline(__always)
  public func collect(_ count: Int) -> CollectSignal<Self> {
    CollectSignal(upstream: self, count: count)
  }
}

/// A signal of groups of values; the result of ``Signal/collect(_:)``.
public struct CollectSignal<Upstream: Signal>: Signal {
  /// A group of values.
  public typealias Element = [Upstream.Element]

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int

  @inlinable @inline(__always)
  init(upstream: Upstream, count: Int) {
    self.upstream = upstream
    self.count = count
  }

  /// Attaches a subscriber to the upstream signal, with a group of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    upstreams.add(upstream.subscribe(CollectStage(downstream: subscriber, upstreams: upstreams, count: count)))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct CollectStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage
where Downstream.Element == [Element] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let count: Int
  @usableFromInline let group = StageState<[Element]>([])

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, count: Int) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.count = count
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    group.value.append(value)
    if group.value.count >= count { sendGroup() }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if case .finished = completion, !group.value.isEmpty { sendGroup() }
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable
  func sendGroup() {
    let complete = group.value
    group.value = []
    downstream.receive(complete)
  }
}
