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
