extension Signal {
  /// Drops values until another signal sends a value.
  ///
  /// The other signal is subscribed to first, and is cancelled after its first value. If it finishes or fails without a
  /// value, the result ends in the same way. The two signals may send from different threads.
  ///
  /// A property sends its current value at once. Pass its `changes` to wait for the next one.
  ///
  /// - Parameter other: The signal whose first value opens this one.
  /// - Returns: A signal of the values that arrive after the other signal has sent.
  @inlinable @inline(__always)
  public func drop<Other: Signal>(untilOutputFrom other: Other) -> some Signal<Element, Failure>
  where Other.Failure == Failure {
    other.combined(with: self, DropUntilOutput())
  }
}

@usableFromInline
struct DropUntilOutput<First: Sendable, Second: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline typealias Output = Second

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  static var leavesFirst: Bool { true }

  @inlinable @inline(__always)
  func makeState() -> Bool { false }

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.state = true
    hub.firstUpstreams.cancelAll()
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    if hub.state { hub.core.deliver(value) }
  }

  @inlinable @inline(__always)
  func receive(firstCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    if !hub.state { hub.finish(completion) }
  }
}
