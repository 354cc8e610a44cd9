extension Signal {
  /// Drops each value that equals the previous one.
  ///
  /// - Returns: A signal in which successive values differ.
  @inlinable @inline(__always)
  public func removeDuplicates() -> some Signal<Element, Failure> where Element: Equatable {
    removeDuplicates(by: ==)
  }

  /// Drops each value that a closure considers equal to the last one sent.
  ///
  /// - Parameter isDuplicate: A closure that compares the last value sent with the next one, on the thread that sends.
  /// - Returns: A signal in which successive values differ.
  @inlinable @inline(__always)
  public func removeDuplicates(
    by isDuplicate: @escaping @Sendable (Element, Element) -> Bool
  ) -> some Signal<Element, Failure> {
    OperatorSignal(self, RemoveDuplicates(isDuplicate))
  }
}

@usableFromInline
struct RemoveDuplicates<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let isDuplicate: @Sendable (Input, Input) -> Bool

  @inlinable @inline(__always)
  init(_ isDuplicate: @escaping @Sendable (Input, Input) -> Bool) {
    self.isDuplicate = isDuplicate
  }

  @inlinable @inline(__always)
  func makeState() -> Input? { nil }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Input?, next: some SignalSubscriber<Input, Failure>) {
    if let last = state, isDuplicate(last, value) { return }
    state = value
    next.receive(value)
  }
}
