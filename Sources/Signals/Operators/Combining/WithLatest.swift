extension Signal {
  /// Sends each value together with the latest value of another signal.
  ///
  /// Values that arrive before the other signal has sent are dropped. The result finishes with this signal, even if the
  /// other one continues, and fails as soon as one of them fails. It also finishes as soon as the other signal finishes
  /// without having sent a value. The other signal is subscribed to first. It may therefore be this same signal, or be
  /// derived from it: each value is then paired with the one that the other signal derived from it.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let text = MutableProperty("draft")
  /// let saves = Emitter<Int, Never>()
  /// let subscription = saves.withLatest(from: text).sink { print("save", $0, $1) }
  /// saves.send(1)  // Prints "save 1 draft"
  /// text.value = "final"
  /// saves.send(2)  // Prints "save 2 final"
  /// ```
  ///
  /// - Parameter other: The signal whose latest value is used.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func withLatest<Other: Signal>(
    from other: Other
  ) -> some Signal<(Element, Other.Element), Failure> where Other.Failure == Failure {
    withLatest(from: other) { ($0, $1) }
  }

  /// Sends the result of combining each value with the latest value of another signal.
  ///
  /// Values that arrive before the other signal has sent are dropped. See ``withLatest(from:)``.
  ///
  /// - Parameters:
  ///   - other: The signal whose latest value is used.
  ///   - transform: A closure that combines a value with the latest value of the other signal.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func withLatest<Other: Signal, Output: Sendable>(
    from other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Output
  ) -> some Signal<Output, Failure> where Other.Failure == Failure {
    other.combined(with: self, WithLatest(transform))
  }
}

@usableFromInline
struct WithLatest<First: Sendable, Second: Sendable, Output: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline let transform: @Sendable (Second, First) -> Output

  @inlinable @inline(__always)
  init(_ transform: @escaping @Sendable (Second, First) -> Output) {
    self.transform = transform
  }

  @inlinable @inline(__always)
  func makeState() -> First? { nil }

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.state = value
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    // The closure must not be called after a cancellation.
    guard let latest = hub.state, !hub.upstreams.isCancelled else { return }
    hub.core.deliver(transform(value, latest))
  }

  // After the other signal has finished, its last value stays the latest. Without one, there will never be a pair.
  @inlinable @inline(__always)
  func receive(firstCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    if case .finished = completion, hub.state != nil { return }
    hub.finish(completion)
  }
}
