extension Signal {
  /// Sends a value if the signal finishes without having sent one.
  ///
  /// - Parameter value: The value to send in that case.
  /// - Returns: A signal that sends at least one value, unless it fails.
  @inlinable @inline(__always)
  public func replaceEmpty(with value: Element) -> some Signal<Element, Failure> {
    OperatorSignal(self, ReplaceEmpty(value))
  }

  /// Replaces each `nil` with a value.
  ///
  /// - Parameter value: The replacement for `nil`.
  /// - Returns: A signal of non-optional values.
  @inlinable @inline(__always)
  public func replaceNil<Wrapped: Sendable>(with value: Wrapped) -> some Signal<Wrapped, Failure>
  where Element == Wrapped? {
    map { $0 ?? value }
  }
}

@usableFromInline
struct ReplaceEmpty<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let replacement: Input

  @inlinable @inline(__always)
  init(_ replacement: Input) {
    self.replacement = replacement
  }

  @inlinable @inline(__always)
  func makeState() -> Bool { true }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Bool, next: some SignalSubscriber<Input, Failure>) {
    state = false
    next.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>, state: inout Bool, next: some SignalSubscriber<Input, Failure>) {
    if case .finished = completion, state { next.receive(replacement) }
    next.receive(completion: completion)
  }
}
