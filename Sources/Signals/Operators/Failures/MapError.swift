extension Signal {
  /// Transforms the error that ends the signal.
  ///
  /// Use this operator to give several signals the same failure type.
  ///
  /// - Parameter transform: A closure that is called with the error, if there is one, on the thread that sends it.
  /// - Returns: A signal of the same values that fails with the transformed error.
  @inlinable @inline(__always)
  public func mapError<NewFailure: Error>(
    _ transform: @escaping @Sendable (Failure) -> NewFailure
  ) -> some Signal<Element, NewFailure> {
    OperatorSignal(self, MapError(transform))
  }
}

@usableFromInline
struct MapError<Input: Sendable, InputFailure: Error, Failure: Error>: PassingOperator {
  @usableFromInline let transform: @Sendable (InputFailure) -> Failure

  @inlinable @inline(__always)
  init(_ transform: @escaping @Sendable (InputFailure) -> Failure) {
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    next.receive(value)
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<InputFailure>, state: inout Void, next: some SignalSubscriber<Input, Failure>
  ) {
    switch completion {
    case .finished: next.receive(completion: .finished)
    case .failure(let error): next.receive(completion: .failure(transform(error)))
    }
  }
}

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
