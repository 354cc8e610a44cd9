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
  public func collect(_ count: Int) -> some Signal<[Element], Failure> {
    OperatorSignal(self, Collect(count))
  }
}

@usableFromInline
struct Collect<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline typealias Output = [Input]

  @usableFromInline let count: Int

  @inlinable @inline(__always)
  init(_ count: Int) {
    self.count = count
  }

  @inlinable @inline(__always)
  func makeState() -> [Input] { [] }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout [Input], next: some SignalSubscriber<[Input], Failure>) {
    state.append(value)
    if state.count >= count { next.receive(exchange(&state, with: [])) }
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<Failure>, state: inout [Input], next: some SignalSubscriber<[Input], Failure>
  ) {
    if case .finished = completion, !state.isEmpty { next.receive(exchange(&state, with: [])) }
    next.receive(completion: completion)
  }
}
