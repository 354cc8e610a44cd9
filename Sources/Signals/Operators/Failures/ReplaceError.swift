extension Signal {
  /// Replaces a failure with a value, and then finishes.
  ///
  /// - Parameter value: The value to send, as the last one, if the signal fails.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public func replaceError(with value: Element) -> some Signal<Element, Never> {
    OperatorSignal(self, ReplaceError(value))
  }
}

@usableFromInline
struct ReplaceError<Input: Sendable, InputFailure: Error>: SignalOperator {
  @usableFromInline typealias Failure = Never

  @usableFromInline let replacement: Input

  @inlinable @inline(__always)
  init(_ replacement: Input) {
    self.replacement = replacement
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Never>) {
    next.receive(value)
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<InputFailure>, state: inout Void, next: some SignalSubscriber<Input, Never>
  ) {
    if case .failure = completion, !next.isDone { next.receive(replacement) }
    next.receive(completion: .finished)
  }
}
