extension Signal {
  /// Transforms each value, and sends the results that are not `nil`.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results that are not `nil`.
  @inlinable @inline(__always)
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output?
  ) -> some Signal<Output, Failure> {
    OperatorSignal(self, CompactMap(transform))
  }
}

@usableFromInline
struct CompactMap<Input: Sendable, Output: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let transform: @Sendable (Input) -> Output?

  @inlinable @inline(__always)
  init(_ transform: @escaping @Sendable (Input) -> Output?) {
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Output, Failure>) {
    if let output = transform(value) { next.receive(output) }
  }
}
