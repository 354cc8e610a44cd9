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
