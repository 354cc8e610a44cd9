extension Signal {
  /// Drops all values and sends only the completion.
  ///
  /// - Returns: A signal that sends no value.
  @inlinable @inline(__always)
  public func ignoreOutput() -> some Signal<Never, Failure> {
    OperatorSignal(self, IgnoreOutput())
  }
}

@usableFromInline
struct IgnoreOutput<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline typealias Output = Never

  @inlinable @inline(__always)
  init() {}
  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Never, Failure>) {}
}
