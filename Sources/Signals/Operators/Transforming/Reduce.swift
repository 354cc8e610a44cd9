extension Signal {
  /// Combines all values into one, and sends it when the signal finishes.
  ///
  /// Each subscription starts anew from `initialResult`. A failure passes, and the partial result is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = (1...4).signal.reduce(0, +).sink { print($0) }  // Prints "10"
  /// ```
  ///
  /// - Parameters:
  ///   - initialResult: The result if there is no value.
  ///   - nextPartialResult: Called with the last result and the next value, on the thread that sends.
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

  /// Sends how many values there were, when the signal finishes.
  ///
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func count() -> ReduceSignal<Self, Int> {
    reduce(0) { count, _ in count + 1 }
  }

  /// Collects all values, and sends them when the signal finishes.
  ///
  /// A failure passes, and what was collected is dropped.
  ///
  /// - Returns: A signal of one array, which is empty if there was no value.
  /// - Complexity: O(1) amortised for each value; all are kept until the end.
  @inlinable @inline(__always)
  public func collect() -> ReduceSignal<Self, [Element]> {
    ReduceSignal(upstream: self, initial: []) { values, value in
      values?.append(value)
      return true
    }
  }

  /// Sends the smallest value, when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: the first of those that are smallest, or none if there was none.
  @inlinable @inline(__always)
  public func min() -> ReduceSignal<Self, Element> where Element: Comparable {
    min { $0 < $1 }
  }

  /// Sends the smallest value by an order, when the signal finishes.
  ///
  /// - Parameter areInIncreasingOrder: Whether its first argument comes before its second.
  /// - Returns: A signal of at most one value: the first of those that are smallest, or none if there was none.
  @inlinable @inline(__always)
  public func min(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { smallest, value in
      if smallest.map({ areInIncreasingOrder(value, $0) }) ?? true { smallest = value }
      return true
    }
  }

  /// Sends the greatest value, when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: the first of those that are greatest, or none if there was none.
  @inlinable @inline(__always)
  public func max() -> ReduceSignal<Self, Element> where Element: Comparable {
    max { $0 < $1 }
  }

  /// Sends the greatest value by an order, when the signal finishes.
  ///
  /// - Parameter areInIncreasingOrder: Whether its first argument comes before its second.
  /// - Returns: A signal of at most one value: the first of those that are greatest, or none if there was none.
  @inlinable @inline(__always)
  public func max(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { greatest, value in
      if greatest.map({ areInIncreasingOrder($0, value) }) ?? true { greatest = value }
      return true
    }
  }

  /// Sends the last value, when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: none if there was none.
  @inlinable @inline(__always)
  public func last() -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { last, value in
      last = value
      return true
    }
  }

  /// Sends the last value that satisfies a condition, when the signal finishes.
  ///
  /// - Parameter predicate: Called with each value, on the thread that sends it.
  /// - Returns: A signal of at most one value: none if no value satisfied the condition.
  @inlinable @inline(__always)
  public func last(where predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { last, value in
      if predicate(value) { last = value }
      return true
    }
  }

  /// Sends the first value that satisfies a condition, and then ends.
  ///
  /// The upstream subscription is cancelled with that value.
  ///
  /// - Parameter predicate: Called with each value until it says `true`, on the thread that sends.
  /// - Returns: A signal of at most one value: none if no value satisfied the condition.
  @inlinable @inline(__always)
  public func first(where predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Element> {
    ReduceSignal(upstream: self, initial: nil) { first, value in
      guard predicate(value) else { return true }
      first = value
      return false
    }
  }

  /// Sends whether any value satisfies a condition: `true` with the first that does, else `false` at the end.
  ///
  /// The upstream subscription is cancelled with the first value that does.
  ///
  /// - Parameter predicate: Called with each value until it says `true`, on the thread that sends.
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func contains(where predicate: @escaping @Sendable (Element) -> Bool) -> ReduceSignal<Self, Bool> {
    ReduceSignal(upstream: self, initial: false) { isFound, value in
      guard predicate(value) else { return true }
      isFound = true
      return false
    }
  }

  /// Sends whether a value occurs: `true` with its first occurrence, else `false` at the end.
  ///
  /// - Parameter element: The value to look for.
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func contains(_ element: Element) -> ReduceSignal<Self, Bool> where Element: Equatable {
    contains { $0 == element }
  }

  /// Sends whether all values satisfy a condition: `false` with the first that does not, else `true` at the end.
  ///
  /// The upstream subscription is cancelled with the first value that does not.
  ///
  /// - Parameter predicate: Called with each value until it says `false`, on the thread that sends.
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

/// A signal of one value made of many; made by ``Signal/reduce(_:_:)`` and its relatives.
@frozen
public struct ReduceSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  /// Takes a value into the result, and says whether later ones could still change that.
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

  /// Attaches a subscriber to the upstream signal, behind a result of its own.
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
@frozen
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
    // The closure may have cancelled.
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
