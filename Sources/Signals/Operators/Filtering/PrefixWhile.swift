extension Signal {
  /// Sends values as long as they satisfy a condition, and then finishes.
  ///
  /// The upstream subscription is cancelled at the first value that does not satisfy the condition. That value is not
  /// sent.
  ///
  /// - Parameter predicate: A closure that is called with each value, on the thread that sends it, and returns `true`
  ///   to continue.
  /// - Returns: A signal of the values before the first one that does not satisfy the condition.
  @inlinable @inline(__always)
  public func prefix(while predicate: @escaping @Sendable (Element) -> Bool) -> some Signal<Element, Failure> {
    OperatorSignal(self, PrefixWhile(predicate))
  }
}

@usableFromInline
struct PrefixWhile<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let predicate: @Sendable (Input) -> Bool

  @inlinable @inline(__always)
  init(_ predicate: @escaping @Sendable (Input) -> Bool) {
    self.predicate = predicate
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    guard predicate(value) else { return next.receive(completion: .finished) }
    // The closure may have cancelled the subscription.
    if !next.isDone { next.receive(value) }
  }
}
