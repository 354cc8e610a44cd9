extension Signal {
  /// Drops each value that equals the previous one.
  ///
  /// - Returns: A signal in which successive values differ.
  @inlinable @inline(__always)
  public func removeDuplicates() -> RemoveDuplicatesSignal<Self> where Element: Equatable {
    removeDuplicates(by: ==)
  }

  /// Drops each value that a closure considers equal to the last one sent.
  ///
  /// - Parameter isDuplicate: A closure that compares the last value sent with the next one, on the thread that sends.
  /// - Returns: A signal in which successive values differ.
  @inlinable @inline(__always)
  public func removeDuplicates(
    by isDuplicate: @escaping @Sendable (Element, Element) -> Bool
  ) -> RemoveDuplicatesSignal<Self> {
    RemoveDuplicatesSignal(upstream: self, isDuplicate: isDuplicate)
  }
}

/// A signal in which successive values differ; the result of ``Signal/removeDuplicates()``.
public struct RemoveDuplicatesSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isDuplicate: @Sendable (Element, Element) -> Bool

  @inlinable @inline(__always)
  init(upstream: Upstream, isDuplicate: @escaping @Sendable (Element, Element) -> Bool) {
    self.upstream = upstream
    self.isDuplicate = isDuplicate
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(RemoveDuplicatesStage(downstream: subscriber, isDuplicate: isDuplicate))
  }
}

@usableFromInline
struct RemoveDuplicatesStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let isDuplicate: @Sendable (Element, Element) -> Bool
  @usableFromInline let last = StageState<Element?>(nil)

  @inlinable @inline(__always)
  init(downstream: Downstream, isDuplicate: @escaping @Sendable (Element, Element) -> Bool) {
    self.downstream = downstream
    self.isDuplicate = isDuplicate
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if let last = last.value, isDuplicate(last, value) { return }
    last.value = value
    downstream.receive(value)
  }
}
