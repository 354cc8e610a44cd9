extension Signal where Failure == Never {
  /// Declares a failure type for a signal that cannot fail, so that it can be combined with signals that can.
  ///
  /// - Parameter failureType: The failure type to declare.
  /// - Returns: A signal of the same values, which still never fails.
  @inlinable @inline(__always)
  public func setFailureType<NewFailure: Error>(to failureType: NewFailure.Type) -> some Signal<Element, NewFailure> {
    OperatorSignal(self, SetFailureType())
  }
}

@usableFromInline
struct SetFailureType<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline typealias InputFailure = Never

  @inlinable @inline(__always)
  init() {}
  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    next.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Never>, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    next.receive(completion: .finished)
  }
}
