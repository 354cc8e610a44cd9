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

extension Signal {
  /// Collects the values that arrive before each value of another signal into one array.
  ///
  /// If no value has arrived since the last array, nothing is sent. When this signal finishes, the remaining values are
  /// sent. A failure is passed on at once, and the remaining values are dropped. The completion of the other signal has
  /// no effect. RxJS calls this operator `buffer`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let edits = Emitter<String, Never>()
  /// let saves = Emitter<Void, Never>()
  /// let subscription = edits.chunked(by: saves).sink { print($0) }
  /// edits.send("title")
  /// edits.send("text")
  /// saves.send()  // Prints "["title", "text"]"
  /// saves.send()
  /// edits.send("date")
  /// edits.finish()  // Prints "["date"]"
  /// ```
  ///
  /// This signal is subscribed to first. If the other signal is derived from it, an array includes the value that ends
  /// it. The two signals may send from different threads. An array is sent on the thread of
  /// the other signal, and the last array on the thread on which this signal finishes.
  ///
  /// - Parameter boundaries: The signal whose values end the arrays. If it can fail, decide first what a failure means,
  ///   for example with ``replaceError(with:)``.
  /// - Returns: A signal of non-empty arrays.
  /// - Complexity: O(1) amortised for each value. The values of one array are kept.
  @inlinable @inline(__always)
  public func chunked<Boundaries: Signal>(
    by boundaries: Boundaries
  ) -> some Signal<[Element], Failure> where Boundaries.Failure == Never {
    combined(with: boundaries, ChunkedBySignal())
  }
}

@usableFromInline
struct ChunkedBySignal<First: Sendable, Second: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline typealias Output = [First]
  @usableFromInline typealias SecondFailure = Never

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  func makeState() -> [First] { [] }

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.state.append(value)
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    if !hub.state.isEmpty { hub.core.deliver(exchange(&hub.state, with: [])) }
  }

  @inlinable
  func receive(firstCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    let values = exchange(&hub.state, with: [])
    hub.finish(completion, after: values.isEmpty ? nil : values)
  }

  @inlinable @inline(__always)
  func receive(secondCompletion completion: SignalCompletion<Never>, _ hub: CombiningHub<Self>) {}
}
