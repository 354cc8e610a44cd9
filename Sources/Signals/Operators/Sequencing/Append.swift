extension Signal {
  /// Sends the values of this signal and, after it has finished, the values of another.
  ///
  /// The other signal is subscribed to when this one has finished; its earlier values are not received. A failure of
  /// this signal ends the result.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = (1...2).signal.append(JustSignal(9)).sink { print($0) }
  /// // Prints "1"
  /// // Prints "2"
  /// // Prints "9"
  /// ```
  ///
  /// - Parameter other: The signal that follows.
  /// - Returns: A signal of the values of both, in sequence.
  @inlinable @inline(__always)
  public func append<Other: Signal<Element, Failure>>(_ other: Other) -> AppendSignal<Self, Other> {
    AppendSignal(first: self, second: other)
  }

  /// Sends the values of this signal and, after it has finished, the elements of a sequence.
  ///
  /// - Parameter elements: The values to append.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func append<Elements: Sequence<Element> & Sendable>(
    _ elements: Elements
  ) -> AppendSignal<Self, SequenceSignal<Elements, Failure>> {
    append(SequenceSignal(elements))
  }

  /// Sends the values of this signal and, after it has finished, more values.
  ///
  /// - Parameter elements: The values to append.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func append(_ elements: Element...) -> AppendSignal<Self, SequenceSignal<[Element], Failure>> {
    append(SequenceSignal(elements))
  }

  /// Sends the values of another signal and, after it has finished, the values of this one.
  ///
  /// This signal is subscribed to when the other has finished; its earlier values are not received. A failure of the
  /// other signal ends the result.
  ///
  /// - Parameter other: The signal that comes first.
  /// - Returns: A signal of the values of both, in sequence.
  @inlinable @inline(__always)
  public func prepend<Other: Signal<Element, Failure>>(_ other: Other) -> AppendSignal<Other, Self> {
    AppendSignal(first: other, second: self)
  }

  /// Sends the elements of a sequence, and then the values of this signal.
  ///
  /// - Parameter elements: The values that come first. Each subscriber receives them before `subscribe(_:)` returns.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func prepend<Elements: Sequence<Element> & Sendable>(
    _ elements: Elements
  ) -> AppendSignal<SequenceSignal<Elements, Failure>, Self> {
    prepend(SequenceSignal(elements))
  }

  /// Sends some values, and then the values of this signal.
  ///
  /// - Parameter elements: The values that come first. Each subscriber receives them before `subscribe(_:)` returns.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func prepend(_ elements: Element...) -> AppendSignal<SequenceSignal<[Element], Failure>, Self> {
    prepend(SequenceSignal(elements))
  }
}

extension Signal where Failure == Never {
  /// Sends the values of this signal, which cannot fail, and then the values of another, which can.
  ///
  /// - Parameter other: The signal that follows.
  /// - Returns: A signal of the values of both, in sequence.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func append<Other: Signal>(
    _ other: Other
  ) -> AppendSignal<SetFailureTypeSignal<Self, Other.Failure>, Other> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).append(other)
  }

  /// Sends the values of another signal, which can fail, and then the values of this one, which cannot.
  ///
  /// - Parameter other: The signal that comes first.
  /// - Returns: A signal of the values of both, in sequence.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func prepend<Other: Signal>(
    _ other: Other
  ) -> AppendSignal<Other, SetFailureTypeSignal<Self, Other.Failure>> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).prepend(other)
  }
}

/// A signal of the values of two signals in sequence; the result of ``Signal/append(_:)->AppendSignal<Self,Other>`` and
/// its overloads.
public struct AppendSignal<First: Signal, Second: Signal<First.Element, First.Failure>>: Signal {
  /// The values of both signals.
  public typealias Element = First.Element

  /// The error of either signal.
  public typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable @inline(__always)
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  /// Attaches a subscriber to the first signal and, after that has finished, to the second.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    upstreams.add(first.subscribe(AppendStage(downstream: subscriber, upstreams: upstreams, next: second)))
    return SignalSubscription(owner: upstreams)
  }
}

/// A subscriber that passes on the values of the first signal, and then subscribes to the second.
@usableFromInline
struct AppendStage<Downstream: SignalSubscriber, Next: Signal<Downstream.Element, Downstream.Failure>>:
  PassThroughStage
{
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let next: Next

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams, next: Next) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.next = next
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    guard case .finished = completion else { return downstream.receive(completion: completion) }
    guard !upstreams.isCancelled, !downstream.isDone else { return }
    upstreams.add(next.subscribe(LateStage(downstream: downstream, upstreams: upstreams)))
  }
}

/// A subscriber that passes on the values of a signal that was subscribed to after the user received the token.
///
/// Such a signal may send before its own token has joined the group. Until then, this check is the only way to stop it.
@usableFromInline
struct LateStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams

  @inlinable @inline(__always)
  init(downstream: Downstream, upstreams: Upstreams) {
    self.downstream = downstream
    self.upstreams = upstreams
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if !upstreams.isCancelled { downstream.receive(value) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if !upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || downstream.isDone }
}
