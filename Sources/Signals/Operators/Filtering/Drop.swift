extension Signal {
  /// Drops the first values.
  ///
  /// - Parameter count: The number of values to drop; a negative count counts as 0.
  /// - Returns: A signal of the remaining values.
  @inlinable @inline(__always)
  public func dropFirst(_ count: Int = 1) -> some Signal<Element, Failure> {
    OperatorSignal(self, DropFirst(count))
  }
}

@usableFromInline
struct DropFirst<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let count: Int

  @inlinable @inline(__always)
  init(_ count: Int) {
    self.count = count
  }

  @inlinable @inline(__always)
  func makeState() -> Int { count }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Int, next: some SignalSubscriber<Input, Failure>) {
    if state <= 0 { return next.receive(value) }
    state -= 1
  }
}

extension Signal {
  /// Drops values as long as they satisfy a condition.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, until it returns
  ///   `false`.
  /// - Returns: A signal that begins with the first value that does not satisfy the condition.
  @inlinable @inline(__always)
  public func drop(while predicate: @escaping @Sendable (Element) -> Bool) -> some Signal<Element, Failure> {
    OperatorSignal(self, DropWhile(predicate))
  }
}

@usableFromInline
struct DropWhile<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let predicate: @Sendable (Input) -> Bool

  @inlinable @inline(__always)
  init(_ predicate: @escaping @Sendable (Input) -> Bool) {
    self.predicate = predicate
  }

  @inlinable @inline(__always)
  func makeState() -> Bool { false }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Bool, next: some SignalSubscriber<Input, Failure>) {
    if !state {
      if predicate(value) { return }
      state = true
    }
    next.receive(value)
  }
}

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
