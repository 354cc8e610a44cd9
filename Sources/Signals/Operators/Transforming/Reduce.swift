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
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) -> Result
  ) -> some Signal<Result, Failure> {
    reduced(from: initialResult) { result, value in
      result = nextPartialResult(result.unsafelyUnwrapped, value)  // Sound: it begins as a value and stays one.
      return true
    }
  }

  /// Sends the number of values when the signal finishes.
  ///
  /// - Returns: A signal of one value.
  @inlinable @inline(__always)
  public func count() -> some Signal<Int, Failure> {
    reduce(0) { count, _ in count + 1 }
  }

  /// Collects all values into one array, and sends it when the signal finishes.
  ///
  /// A failure is passed on, and the collected values are dropped.
  ///
  /// - Returns: A signal of one array, which is empty if there were no values.
  /// - Complexity: O(1) amortised for each value. All values are kept until the end.
  @inlinable @inline(__always)
  public func collect() -> some Signal<[Element], Failure> {
    reduced(from: []) { values, value in
      values?.append(value)
      return true
    }
  }

  /// Sends the smallest value when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: the first of several equal minima, or none if there were no values.
  @inlinable @inline(__always)
  public func min() -> some Signal<Element, Failure> where Element: Comparable {
    min { $0 < $1 }
  }

  /// Sends the smallest value by a given order when the signal finishes.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns `true` if its first argument comes before its second.
  /// - Returns: A signal of at most one value: the first of several equal minima, or none if there were no values.
  @inlinable @inline(__always)
  public func min(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> some Signal<Element, Failure> {
    reduced(from: nil) { smallest, value in
      if smallest.map({ areInIncreasingOrder(value, $0) }) ?? true { smallest = value }
      return true
    }
  }

  /// Sends the greatest value when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: the first of several equal maxima, or none if there were no values.
  @inlinable @inline(__always)
  public func max() -> some Signal<Element, Failure> where Element: Comparable {
    max { $0 < $1 }
  }

  /// Sends the greatest value by a given order when the signal finishes.
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns `true` if its first argument comes before its second.
  /// - Returns: A signal of at most one value: the first of several equal maxima, or none if there were no values.
  @inlinable @inline(__always)
  public func max(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> some Signal<Element, Failure> {
    reduced(from: nil) { greatest, value in
      if greatest.map({ areInIncreasingOrder($0, value) }) ?? true { greatest = value }
      return true
    }
  }

  /// Sends the last value when the signal finishes.
  ///
  /// - Returns: A signal of at most one value: none if there were no values.
  @inlinable @inline(__always)
  public func last() -> some Signal<Element, Failure> {
    reduced(from: nil) { last, value in
      last = value
      return true
    }
  }

  /// Sends the last value that satisfies a condition when the signal finishes.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of at most one value: none if no value satisfied the condition.
  @inlinable @inline(__always)
  public func last(where predicate: @escaping @Sendable (Element) -> Bool) -> some Signal<Element, Failure> {
    reduced(from: nil) { last, value in
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
  public func first(where predicate: @escaping @Sendable (Element) -> Bool) -> some Signal<Element, Failure> {
    reduced(from: nil) { first, value in
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
  public func contains(where predicate: @escaping @Sendable (Element) -> Bool) -> some Signal<Bool, Failure> {
    reduced(from: false) { isFound, value in
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
  public func contains(_ element: Element) -> some Signal<Bool, Failure> where Element: Equatable {
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
  public func allSatisfy(_ predicate: @escaping @Sendable (Element) -> Bool) -> some Signal<Bool, Failure> {
    reduced(from: true) { areAll, value in
      if predicate(value) { return true }
      areAll = false
      return false
    }
  }
}

extension Signal {
  /// Combines all values with `step`, which returns `false` if later values cannot change the result.
  @inlinable @inline(__always)
  func reduced<Result: Sendable>(
    from initial: Result?, _ step: @escaping @Sendable (inout Result?, Element) -> Bool
  ) -> some Signal<Result, Failure> {
    OperatorSignal(self, Reduce(initial: initial, step: step))
  }
}

@usableFromInline
struct Reduce<Input: Sendable, Output: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let initial: Output?
  @usableFromInline let step: @Sendable (_ result: inout Output?, _ value: Input) -> Bool

  @inlinable @inline(__always)
  init(initial: Output?, step: @escaping @Sendable (_ result: inout Output?, _ value: Input) -> Bool) {
    (self.initial, self.step) = (initial, step)
  }

  @inlinable @inline(__always)
  func makeState() -> Output? { initial }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Output?, next: some SignalSubscriber<Output, Failure>) {
    if step(&state, value) { return }
    // The closure may have cancelled the subscription.
    if let result = state.take(), !next.isDone { next.receive(result) }
    next.receive(completion: .finished)
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<Failure>, state: inout Output?, next: some SignalSubscriber<Output, Failure>
  ) {
    if case .finished = completion, let result = state.take() { next.receive(result) }
    next.receive(completion: completion)
  }
}
