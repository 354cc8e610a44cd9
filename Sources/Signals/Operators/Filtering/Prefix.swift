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

extension Signal {
  /// Sends values until another signal sends a value, and then finishes.
  ///
  /// The other signal is subscribed to first; its completion has no effect. The two signals may send from different
  /// threads.
  ///
  /// A property sends its current value at once. Pass its `changes` to wait for the next one.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let readings = Emitter<Int, Never>()
  /// let stop = Emitter<Void, Never>()
  /// let subscription = readings.prefix(untilOutputFrom: stop).sink { print($0) }
  /// readings.send(1)  // Prints "1"
  /// stop.send()
  /// readings.send(2)
  /// ```
  ///
  /// - Parameter other: The signal whose first value ends this one.
  /// - Returns: A signal of the values that arrive before the other signal sends.
  @inlinable @inline(__always)
  public func prefix<Other: Signal>(untilOutputFrom other: Other) -> some Signal<Element, Failure> {
    other.combined(with: self, PrefixUntilOutput())
  }
}

@usableFromInline
struct PrefixUntilOutput<First: Sendable, FirstFailure: Error, Second: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline typealias Output = Second

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.finish(.finished)
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    hub.core.deliver(value)
  }

  @inlinable @inline(__always)
  func receive(firstCompletion completion: SignalCompletion<FirstFailure>, _ hub: CombiningHub<Self>) {}
}
