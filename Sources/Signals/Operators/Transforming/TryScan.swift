extension Signal {
  /// Sends a running result, computed by a closure that can throw, and fails with the thrown error.
  ///
  /// Each subscription starts with `initialResult`. At the first error, the upstream signal is cancelled. Write the
  /// failure type in the closure, because the compiler infers `any Error` otherwise.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct TooMuch: Error {}
  /// let sums = [3, 4, 5].signal.tryScan(0) { (sum, next) throws(TooMuch) in
  ///   if sum + next > 10 { throw TooMuch() }
  ///   return sum + next
  /// }
  /// let subscription = sums.replaceError(with: 10).sink { print($0) }
  /// // Prints "3"
  /// // Prints "7"
  /// // Prints "10"
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first value; it is not sent.
  ///   - nextPartialResult: A closure that combines the previous result with the next value, on the thread that sends,
  ///     until it throws.
  /// - Returns: A signal of the results, one for each value.
  /// - Complexity: O(1) for each value, without an allocation.
  @inlinable @inline(__always)
  public func tryScan<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Element) throws(Failure) -> Result
  ) -> TryScanSignal<Self, Result> {
    TryScanSignal(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Signal where Failure == Never {
  /// Sends a running result of this signal, which cannot fail, computed by a closure that can throw.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `tryScan(_:_:)`.
  ///
  /// - Parameters:
  ///   - initialResult: The result before the first value; it is not sent.
  ///   - nextPartialResult: A closure that combines the previous result with the next value, on the thread that sends,
  ///     until it throws.
  /// - Returns: A signal of the results, which fails with the error of the closure.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func tryScan<Result: Sendable, Mistake: Error>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Element) throws(Mistake) -> Result
  ) -> TryScanSignal<SetFailureTypeSignal<Self, Mistake>, Result> {
    setFailureType(to: Mistake.self).tryScan(initialResult, nextPartialResult)
  }
}

/// A signal of running results of a throwing closure; the result of
/// ``Signal/tryScan(_:_:)->TryScanSignal<Self,Result>``.
public struct TryScanSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal and of the closure.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let initialResult: Element
  @usableFromInline let nextPartialResult: @Sendable (Element, Upstream.Element) throws(Failure) -> Element

  @inlinable @inline(__always)
  init(
    upstream: Upstream, initialResult: Element,
    nextPartialResult: @escaping @Sendable (Element, Upstream.Element) throws(Failure) -> Element
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
    let result = StageState(initialResult)
    let throwing = TryMapSignal<Upstream, Element>(upstream: upstream) { [nextPartialResult] value throws(Failure) in
      let next = try nextPartialResult(result.value, value)
      result.value = next
      return next
    }
    return throwing.subscribe(subscriber)
  }
}
