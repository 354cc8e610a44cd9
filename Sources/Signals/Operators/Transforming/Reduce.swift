extension Signal {
  /// Combines all values into one result, and sends it when the signal finishes.
  ///
  /// Each subscription starts with `initialResult`. A failure is passed on, and the partial result is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = (1...4).signal.reduce(0, +).sink { print($0) }  // Prints "10"
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result if there are no values.
  ///   - nextPartialResult: A closure that combines the result so far with the next value, on the thread that sends.
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func reduce<Result: Sendable>(
    _ initialResult: Result,
    _ nextPartialResult: @escaping @Sendable (Result, Element) -> Result
  ) -> ReduceSignal<Self, Result> {
    ReduceSignal(upstream: self, initial: initialResult) { result, value in
      result = nextPartialResult(result.unsafelyUnwrapped, value)  // Sound: it begins as a value and stays one.
      return true
    }
  }

  /// Sends the number of values when the signal finishes.
  ///
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func count() -> ReduceSignal<Self, Int> {
    reduce(0) { count, _ in count + 1 }
  }

  /// Collects all values into one array, and sends it when the signal finishes.
  ///
  /// A failure is passed on, and the collected values are dropped.
  ///
  /// - Returns: A signal of one array, which is empty if there were no values.
  /// - Complexity: O(1) amortised for each value. All values are kept until the end.
  @inlinable @inline(__always)
  public func collect() -> ReduceSignal<Self, [Element]> {
    ReduceSignal(upstream: self, initial: []) { values, value in
      values?.append(value)
      return true
    }
  }

  /// Sends the smallest value when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: the first of several equal minima, or none if there were no values.
  @inlinable @inline(__always)
  public func min() -> ReduceSignal<Self, Element> where Element: Comparable {
    min { $0 < $1 }
  }

  /// Sends the smallest value by a given order when the signal finishes.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns `true` if its first argument comes before its second.
  /// - Returns: A signal of at most one value: the first of several equal minima, or none if there were no values.
  @inlinable @inline(__always)
  public func min(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { smallest, value in
      if smallest.map({ areInIncreasingOrder(value, $0) }) ?? true { smallest = value }
      return true
    }
  }

  /// Sends the greatest value when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: the first of several equal maxima, or none if there were no values.
  @inlinable @inline(__always)
  public func max() -> ReduceSignal<Self, Element> where Element: Comparable {
    max { $0 < $1 }
  }

  /// Sends the greatest value by a given order when the signal finishes.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns `true` if its first argument comes before its second.
  /// - Returns: A signal of at most one value: the first of several equal maxima, or none if there were no values.
  @inlinable @inline(__always)
  public func max(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { greatest, value in
      if greatest.map({ areInIncreasingOrder($0, value) }) ?? true { greatest = value }
      return true
    }
  }

  /// Sends the last value when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: none if there were no values.
  @inlinable @inline(__always)
  public func last() -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { last, value in
      last = value
      return true
    }
  }

  /// Sends the last value that satisfies a condition when the signal finishes.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of at most one value: none if no value satisfied the condition.
  @inlinable @inline(__always)
  public func last(where predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { last, value in
      if predicate(value) { last = value }
      return true
    }
  }

  /// Sends the first value that satisfies a condition, and then finishes.
  ///
  /// The upstream subscription is cancelled with that value.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, until it returns
  ///   `true`.
  /// - Returns: A signal of at most one value: none if no value satisfied the condition.
  @inlinable @inline(__always)
  public func first(where predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { first, value in
      guard predicate(value) else { return true }
      first = value
      return false
    }
  }

  /// Sends `true` as soon as a value satisfies a condition, or `false` when the signal finishes.
  ///
  /// The upstream subscription is cancelled with the first value that satisfies the condition.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, until it returns
  ///   `true`.
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func contains(where predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Bool> {
    ReduceSignal(upstream: self, initial: false) { isFound, value in
      guard predicate(value) else { return true }
      isFound = true
      return false
    }
  }

  /// Sends `true` as soon as a value equals the given one, or `false` when the signal finishes.
  ///
  /// - Parameter element: The value to look for.
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func contains(_ element: Element) -> ReduceSignal<Self, Bool> where Element: Equatable {
    contains { $0 == element }
  }

  /// Sends `false` as soon as a value violates a condition, or `true` when the signal finishes.
  ///
  /// The upstream subscription is cancelled with the first value that violates the condition.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, until it returns
  ///   `false`.
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func allSatisfy(_ predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Bool> {
    ReduceSignal(upstream: self, initial: true) { areAll, value in
      if predicate(value) { return true }
      areAll = false
      return false
    }
  }
}

/// A signal of one value that combines all others; the result of ``Signal/reduce(_:_:)`` and related operators.
public struct ReduceSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  /// A function that adds a value to the result, and returns `false` if later values cannot change it.
  @usableFromInline typealias Step = @Sendable (_ result: inout Element?, _ value: Upstream.Element) -> Bool

  @usableFromInline let upstream: Upstream
  @usableFromInline let initial: Element?
  @usableFromInline let step: Step

  @inlinable @inline(__always)
  init(upstream: Upstream, initial: Element?, step: @escaping Step) {
    self.upstream = upstream
    self.initial = initial
    self.step = step
  }

  /// Attaches a subscriber to the upstream signal, with a result of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    upstreams.add(
      upstream.subscribe(ReduceStage(downstream: subscriber, upstreams: upstreams, initial: initial, step: step))
    )
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct ReduceStage<Downstream: SignalSubscriber, Element: Sendable>: SignalSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Step = @Sendable (_ result: inout Downstream.Element?, _ value: Element) -> Bool

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let result: StageState<Downstream.Element?>
  @usableFromInline let step: Step
  @usableFromInline let hasEnded = StageState(false)

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, initial: Downstream.Element?, step: @escaping Step) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.result = StageState(initial)
    self.step = step
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    guard !hasEnded.value, !step(&result.value, value) else { return }
    hasEnded.value = true
    // The closure may have cancelled the subscription.
    guard !upstreams.isCancelled else { return }
    sendResult()
    downstream.finish(cancelling: upstreams)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    guard !hasEnded.value else { return }
    hasEnded.value = true
    if case .finished = completion { sendResult() }
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  func sendResult() {
    if let result = result.value.take() { downstream.receive(result) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hasEnded.value || downstream.isDone }
}
