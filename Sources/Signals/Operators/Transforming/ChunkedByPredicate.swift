extension Signal {
  /// Collects successive values that belong together into arrays.
  ///
  /// An array is sent when the first value arrives that does not belong to it, and the last array when the signal
  /// finishes. A failure is passed on at once, and the incomplete array is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let runs = [10, 20, 20, 5, 6].signal.chunked { $0 <= $1 }
  /// let subscription = runs.sink { print($0) }
  /// // Prints "[10, 20, 20]"
  /// // Prints "[5, 6]"
  /// ```
  ///
  /// - Parameter belongInSameChunk: A closure that is called with each value and the next one, on the thread that sends
  ///   the second of them. It returns `true` if they belong to the same array.
  /// - Returns: A signal of non-empty arrays.
  /// - Complexity: O(1) amortised for each value. The values of one array are kept.
  @inlinable @inline(__always)
  public func chunked(
    by belongInSameChunk: @escaping @Sendable (Element, Element) -> Bool
  ) -> some Signal<[Element], Failure> {
    OperatorSignal(self, ChunkedByPredicate(belongInSameChunk))
  }
}

@usableFromInline
struct ChunkedByPredicate<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline typealias Output = [Input]

  @usableFromInline let belongInSameChunk: @Sendable (Input, Input) -> Bool

  @inlinable @inline(__always)
  init(_ belongInSameChunk: @escaping @Sendable (Input, Input) -> Bool) {
    self.belongInSameChunk = belongInSameChunk
  }

  @inlinable @inline(__always)
  func makeState() -> [Input] { [] }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout [Input], next: some SignalSubscriber<[Input], Failure>) {
    var complete: [Input]?
    if let last = state.last, !belongInSameChunk(last, value) {
      complete = exchange(&state, with: [])
    }
    state.append(value)
    // The closure may have cancelled the subscription.
    if let complete, !next.isDone { next.receive(complete) }
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<Failure>, state: inout [Input], next: some SignalSubscriber<[Input], Failure>
  ) {
    if case .finished = completion, !state.isEmpty { next.receive(exchange(&state, with: [])) }
    next.receive(completion: completion)
  }
}
