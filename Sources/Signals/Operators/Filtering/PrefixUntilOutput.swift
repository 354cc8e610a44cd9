extension Signal {
  /// Sends values until another signal sends a value, and then finishes.
  ///
  /// The other signal is subscribed to first; its completion has no effect. The two signals may send from different
  /// threads.
  ///
  /// A property sends its current value at once. Pass its `changes` to wait for the next one.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let readings = Emitter<Int, Never>()
  /// let stop = Emitter<Void, Never>()
  /// let subscription = readings.prefix(untilOutputFrom: stop).sink { print($0) }
  /// readings.send(1)  // Prints "1"
  /// stop.send()
  /// readings.send(2)
  /// ```
  ///
  /// - Parameter other: The signal whose first value ends this one.
  /// - Returns: A signal of the values that arrive before the other signal sends.
  @inlinable @inline(__always)
  public func prefix<Other: Signal>(untilOutputFrom other: Other) -> some Signal<Element, Failure> {
    other.combined(with: self, PrefixUntilOutput())
  }
}

@usableFromInline
struct PrefixUntilOutput<First: Sendable, FirstFailure: Error, Second: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline typealias Output = Second

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.finish(.finished)
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    hub.core.deliver(value)
  }

  @inlinable @inline(__always)
  func receive(firstCompletion completion: SignalCompletion<FirstFailure>, _ hub: CombiningHub<Self>) {}
}
