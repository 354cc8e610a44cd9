extension Signal {
  /// Sends only the values that satisfy a condition.
  ///
  /// - Parameter isIncluded: A closure that is called with each value, on the thread that sends it, and returns `true`
  ///   to keep it.
  /// - Returns: A signal of the values that satisfy the condition.
  @inlinable @inline(__always)
  public func filter(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> some Signal<Element, Failure> {
    OperatorSignal(self, Filter(isIncluded))
  }
}

@usableFromInline
struct Filter<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let isIncluded: @Sendable (Input) -> Bool

  @inlinable @inline(__always)
  init(_ isIncluded: @escaping @Sendable (Input) -> Bool) {
    self.isIncluded = isIncluded
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    if isIncluded(value) { next.receive(value) }
  }
}

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
