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
  public func suffix(_ maxLength: Int) -> some Signal<Element, Failure> {
    OperatorSignal(self, Suffix(maxLength))
  }
}

@usableFromInline
struct Suffix<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let maxLength: Int

  @inlinable @inline(__always)
  init(_ maxLength: Int) {
    self.maxLength = maxLength
  }

  @inlinable @inline(__always)
  func makeState() -> RingBuffer<Input> { RingBuffer() }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout RingBuffer<Input>, next: some SignalSubscriber<Input, Failure>) {
    guard maxLength > 0 else { return }
    if state.count == maxLength { state.popFirst() }
    state.append(value)
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<Failure>, state: inout RingBuffer<Input>, next: some SignalSubscriber<Input, Failure>
  ) {
    if case .finished = completion {
      // A subscriber may cancel, or need no more values, before all are sent.
      while !next.isDone, let value = state.popFirst() { next.receive(value) }
    }
    next.receive(completion: completion)
  }
}
