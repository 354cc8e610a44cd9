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
