extension Signal {
  /// Sends the first values, and then finishes.
  ///
  /// The upstream subscription is cancelled after the last of these values. If `maxLength` is 0, the signal finishes at
  /// once and does not subscribe.
  ///
  /// - Parameter maxLength: The maximum number of values to send; a negative number counts as 0.
  /// - Returns: A signal of at most `maxLength` values.
  @inlinable @inline(__always)
  public func prefix(_ maxLength: Int) -> PrefixSignal<Self> {
    PrefixSignal(upstream: self, maxLength: maxLength)
  }

  /// Sends the next value, and then finishes.
  ///
  /// The first value of a property is its current one.
  ///
  /// To wait for the value itself, use `await signal.firstValue()`.
  ///
  /// - Returns: A signal of at most one value.
  @inlinable @inline(__always)
  public func first() -> PrefixSignal<Self> {
    prefix(1)
  }

  /// Sends the value at a position, counted from 0, and then finishes.
  ///
  /// - Parameter index: The position. A negative one counts as 0.
  /// - Returns: A signal of at most one value: none if the signal ends before that position.
  @inlinable @inline(__always)
  public func output(at index: Int) -> PrefixSignal<DropFirstSignal<Self>> {
    dropFirst(index).prefix(1)
  }

  /// Sends the values at a range of positions, counted from 0, and then finishes.
  ///
  /// - Parameter range: The positions. There are no values at negative positions. A range written with `...` must end
  ///   below `Int.max`.
  /// - Returns: A signal of the values at these positions.
  @inlinable @inline(__always)
  public func output(in range: some RangeExpression<Int>) -> PrefixSignal<DropFirstSignal<Self>> {
    // Relative to all integers first: a range that ends below 0 cannot be relative to a range that begins at 0.
    let positions = range.relative(to: Int.min..<Int.max).clamped(to: 0..<Int.max)
    return dropFirst(positions.lowerBound).prefix(positions.count)
  }
}

/// A signal of the first values; the result of ``Signal/prefix(_:)``.
public struct PrefixSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxLength: Int

  @inlinable @inline(__always)
  init(upstream: Upstream, maxLength: Int) {
    self.upstream = upstream
    self.maxLength = maxLength
  }

  /// Attaches a subscriber to the upstream signal, with a count of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    guard maxLength > 0 else { return EmptySignal().subscribe(subscriber) }
    let upstreams = Upstreams()
    let stage = PrefixStage(downstream: subscriber, upstreams: upstreams, maxLength: maxLength)
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct PrefixStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let remaining: StageState<Int>

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, maxLength: Int) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.remaining = StageState(maxLength)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    guard remaining.value > 0 else { return }
    remaining.value -= 1
    downstream.receive(value)
    if remaining.value == 0 { downstream.finish(cancelling: upstreams) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if remaining.value > 0 { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { remaining.value == 0 || downstream.isDone }
}
