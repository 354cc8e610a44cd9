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
