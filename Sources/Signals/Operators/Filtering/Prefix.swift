extension Signal {
  /// Sends the first values, and then ends.
  ///
  /// The upstream subscription is cancelled with the last of these values. Without any to send, the signal finishes at
  /// once and does not subscribe.
  ///
  /// - Parameter maxLength: How many values to send at most; a negative count counts as 0.
  /// - Returns: A signal of at most so many values.
  @inlinable @inline(__always)
  public func prefix(_ maxLength: Int) -> PrefixSignal<Self> {
    PrefixSignal(upstream: self, maxLength: maxLength)
  }

  /// Sends the next value, and then ends; a property's is its current one.
  ///
  /// To wait for the value itself, use `await signal.firstValue()`.
  ///
  /// - Returns: A signal of at most one value.
  @inlinable @inline(__always)
  public func first() -> PrefixSignal<Self> {
    prefix(1)
  }

  /// Sends the value of one position, counted from 0, and then ends.
  ///
  /// - Parameter index: The position; not negative.
  /// - Returns: A signal of at most one value: none if the signal ends before the position.
  @inlinable @inline(__always)
  public func output(at index: Int) -> PrefixSignal<DropFirstSignal<Self>> {
    dropFirst(index).prefix(1)
  }

  /// Sends the values of some positions, counted from 0, and then ends.
  ///
  /// - Parameter range: The positions. Those below 0 have no value; a range with `...` ends below `Int.max`.
  /// - Returns: A signal of the values that have these positions.
  @inlinable @inline(__always)
  public func output(in range: some RangeExpression<Int>) -> PrefixSignal<DropFirstSignal<Self>> {
    // Relative to all numbers first: a range that ends below 0 cannot be made relative to one that begins there.
    let positions = range.relative(to: Int.min..<Int.max).clamped(to: 0..<Int.max)
    return dropFirst(positions.lowerBound).prefix(positions.count)
  }
}

/// A signal of the first values; made by ``Signal/prefix(_:)``.
@frozen
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

  /// Attaches a subscriber to the upstream signal, behind a count of its own.
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
@frozen
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
