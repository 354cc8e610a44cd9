extension Signal {
  /// Sends each value together with the previous one.
  ///
  /// Nothing is sent for the first value, which has no previous one. AsyncAlgorithms calls this operator
  /// `adjacentPairs`, and ReactiveSwift `combinePrevious`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let level = MutableProperty(1)
  /// let subscription = level.pairwise().sink { old, new in print("from", old, "to", new) }
  /// level.value = 4  // Prints "from 1 to 4"
  /// level.value = 2  // Prints "from 4 to 2"
  /// ```
  ///
  /// - Returns: A signal of pairs, each sent on the thread that sends its second value. It keeps one value.
  /// - Complexity: O(1) for each value, without an allocation.
  @inlinable @inline(__always)
  public func pairwise() -> some Signal<(Element, Element), Failure> {
    OperatorSignal(self, Pairwise())
  }
}

@usableFromInline
struct Pairwise<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline typealias Output = (Input, Input)

  @inlinable @inline(__always)
  init() {}
  @inlinable @inline(__always)
  func makeState() -> Input? { nil }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Input?, next: some SignalSubscriber<(Input, Input), Failure>) {
    let previous = state
    state = value
    if let previous { next.receive((previous, value)) }
  }
}
