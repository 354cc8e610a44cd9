extension Signal {
  /// Sends the first values, and then finishes.
  ///
  /// The upstream subscription is cancelled after the last of these values. If `maxLength` is 0, the signal finishes at
  /// once and does not subscribe.
  ///
  /// - Parameter maxLength: The maximum number of values to send; a negative number counts as 0.
  /// - Returns: A signal of at most `maxLength` values.
  @inlinable @inline(__always)
  public func prefix(_ maxLength: Int) -> some Signal<Element, Failure> {
    OperatorSignal(self, Prefix(maxLength))
  }

  /// Sends the next value, and then finishes.
  ///
  /// The first value of a property is its current one.
  ///
  /// To wait for the value itself, use `await signal.firstValue()`.
  ///
  /// - Returns: A signal of at most one value.
  @inlinable @inline(__always)
  public func first() -> some Signal<Element, Failure> {
    prefix(1)
  }

  /// Sends the value at a position, counted from 0, and then finishes.
  ///
  /// - Parameter index: The position. A negative one counts as 0.
  /// - Returns: A signal of at most one value: none if the signal ends before that position.
  @inlinable @inline(__always)
  public func output(at index: Int) -> some Signal<Element, Failure> {
    dropFirst(index).prefix(1)
  }

  /// Sends the values at a range of positions, counted from 0, and then finishes.
  ///
  /// - Parameter range: The positions. There are no values at negative positions. A range written with `...` must end
  ///   below `Int.max`.
  /// - Returns: A signal of the values at these positions.
  @inlinable @inline(__always)
  public func output(in range: some RangeExpression<Int>) -> some Signal<Element, Failure> {
    // Relative to all integers first: a range that ends below 0 cannot be relative to a range that begins at 0.
    let positions = range.relative(to: Int.min..<Int.max).clamped(to: 0..<Int.max)
    return dropFirst(positions.lowerBound).prefix(positions.count)
  }
}

@usableFromInline
struct Prefix<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let maxLength: Int

  @inlinable @inline(__always)
  init(_ maxLength: Int) {
    self.maxLength = maxLength
  }

  @inlinable @inline(__always)
  func makeState() -> Int { maxLength }

  @inlinable @inline(__always)
  func begin(state: inout Int, next: some SignalSubscriber<Input, Failure>) {
    if state <= 0 { next.receive(completion: .finished) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Int, next: some SignalSubscriber<Input, Failure>) {
    state -= 1
    next.receive(value)
    if state == 0 { next.receive(completion: .finished) }
  }
}
