extension Signal {
  /// Sends a running result: the combination of the previous result with each value.
  ///
  /// Each subscription starts with `initialResult`.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first value; it is not sent.
  ///   - nextPartialResult: A closure that combines the previous result with the next value, on the thread that sends.
  /// - Returns: A signal of the results, one for each value.
  @inlinable @inline(__always)
  public func scan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Element) -> Result
  ) -> ScanSignal<Self, Result> {
    ScanSignal(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

/// A signal of running results; the result of ``Signal/scan(_:_:)``.
public struct ScanSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let initialResult: Element
  @usableFromInline let nextPartialResult: @Sendable (Element, Upstream.Element) -> Element

  @inlinable @inline(__always)
  init(
    upstream: Upstream,
    initialResult: Element,
    nextPartialResult: @escaping @Sendable (Element, Upstream.Element) -> Element
  ) {
    self.upstream = upstream
    self.initialResult = initialResult
    self.nextPartialResult = nextPartialResult
  }

  /// Attaches a subscriber to the upstream signal, with a running result of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(
      ScanStage(downstream: subscriber, initialResult: initialResult, nextPartialResult: nextPartialResult)
    )
  }
}

@usableFromInline
struct ScanStage<Downstream: SignalSubscriber, Element: Sendable>: PassThroughStage {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let result: StageState<Downstream.Element>
  @usableFromInline let nextPartialResult: @Sendable (Downstream.Element, Element) -> Downstream.Element

  @inlinable @inline(__always)
  init(
    downstream: Downstream,
    initialResult: Downstream.Element,
    nextPartialResult: @escaping @Sendable (Downstream.Element, Element) -> Downstream.Element
  ) {
    self.downstream = downstream
    self.result = StageState(initialResult)
    self.nextPartialResult = nextPartialResult
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let next = nextPartialResult(result.value, value)
    result.value = next
    downstream.receive(next)
  }
}
