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
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) -> Result
  ) -> some Signal<Result, Failure> {
    OperatorSignal(self, Scan(initialResult: initialResult, nextPartialResult: nextPartialResult))
  }
}

@usableFromInline
struct Scan<Input: Sendable, Output: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let initialResult: Output
  @usableFromInline let nextPartialResult: @Sendable (Output, Input) -> Output

  @inlinable @inline(__always)
  init(initialResult: Output, nextPartialResult: @escaping @Sendable (Output, Input) -> Output) {
    (self.initialResult, self.nextPartialResult) = (initialResult, nextPartialResult)
  }

  @inlinable @inline(__always)
  func makeState() -> Output { initialResult }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Output, next: some SignalSubscriber<Output, Failure>) {
    let result = nextPartialResult(state, value)
    state = result
    next.receive(result)
  }
}

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
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) throws(Failure) -> Result
  ) -> some Signal<Result, Failure> {
    OperatorSignal(self, TryScan(initialResult: initialResult, nextPartialResult: nextPartialResult))
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
    _ initialResult: Result, _ nextPartialResult: @escaping @Sendable (Result, Element) throws(Mistake) -> Result
  ) -> some Signal<Result, Mistake> {
    setFailureType(to: Mistake.self).tryScan(initialResult, nextPartialResult)
  }
}

@usableFromInline
struct TryScan<Input: Sendable, Output: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let initialResult: Output
  @usableFromInline let nextPartialResult: @Sendable (Output, Input) throws(Failure) -> Output

  @inlinable @inline(__always)
  init(initialResult: Output, nextPartialResult: @escaping @Sendable (Output, Input) throws(Failure) -> Output) {
    (self.initialResult, self.nextPartialResult) = (initialResult, nextPartialResult)
  }

  @inlinable @inline(__always)
  func makeState() -> Output { initialResult }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Output, next: some SignalSubscriber<Output, Failure>) {
    do throws(Failure) {
      let result = try nextPartialResult(state, value)
      state = result
      next.receive(result)
    } catch {
      next.receive(completion: .failure(error))
    }
  }
}
