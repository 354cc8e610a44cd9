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
  public func append<Other: Signal<Element, Failure>>(_ other: Other) -> some Signal<Element, Failure> {
    ContinuedSignal(self) { completion, _ in
      if case .finished = completion { .signal(other) } else { .end(completion) }
    }
  }

  /// Sends the values of this signal and, after it has finished, the elements of a sequence.
  ///
  /// - Parameter elements: The values to append.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func append<Elements: Sequence<Element> & Sendable>(_ elements: Elements) -> some Signal<Element, Failure> {
    append(SequenceSignal(elements))
  }

  /// Sends the values of this signal and, after it has finished, more values.
  ///
  /// - Parameter elements: The values to append.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func append(_ elements: Element...) -> some Signal<Element, Failure> {
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
  public func prepend<Other: Signal<Element, Failure>>(_ other: Other) -> some Signal<Element, Failure> {
    other.append(self)
  }

  /// Sends the elements of a sequence, and then the values of this signal.
  ///
  /// - Parameter elements: The values that come first. Each subscriber receives them before `subscribe(_:)` returns.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func prepend<Elements: Sequence<Element> & Sendable>(_ elements: Elements) -> some Signal<Element, Failure> {
    prepend(SequenceSignal(elements))
  }

  /// Sends some values, and then the values of this signal.
  ///
  /// - Parameter elements: The values that come first. Each subscriber receives them before `subscribe(_:)` returns.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func prepend(_ elements: Element...) -> some Signal<Element, Failure> {
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
  ) -> some Signal<Element, Other.Failure> where Other.Element == Element {
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
  ) -> some Signal<Element, Other.Failure> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).prepend(other)
  }
}

/// The continuation after the end of the first of two signals.
@usableFromInline
enum Continuation<Second: Signal>: Sendable {
  case signal(Second)
  case end(SignalCompletion<Second.Failure>)
}

/// A signal that may continue with another one when it ends; the result of ``Signal/append(_:)-(Other)``,
/// ``Signal/switchIfEmpty(_:)``, ``Signal/catch(_:)`` and their relatives.
@usableFromInline
struct ContinuedSignal<First: Signal, Second: Signal>: Signal where Second.Element == First.Element {
  @usableFromInline typealias Element = First.Element
  @usableFromInline typealias Failure = Second.Failure

  /// A function that decides what follows, given how the first signal ended and whether it sent no value.
  @usableFromInline
  typealias Next = @Sendable (SignalCompletion<First.Failure>, _ isEmpty: Bool) -> Continuation<Second>

  @usableFromInline let first: First
  @usableFromInline let next: Next

  @inlinable @inline(__always)
  init(_ first: First, next: @escaping Next) {
    (self.first, self.next) = (first, next)
  }

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let current = CurrentUpstream()
    let input = current.begin()
    current.keep(
      first.subscribe(ContinuedStage<_, First.Failure, _>(downstream: subscriber, current: current, next: next)),
      of: input)
    return SignalSubscription(owner: current)
  }
}

/// A subscriber that passes on the values of the first signal, and then subscribes to the second.
@usableFromInline
struct ContinuedStage<Downstream: SignalSubscriber, Failure: Error, Second: Signal>: SignalSubscriber
where Second.Element == Downstream.Element, Second.Failure == Downstream.Failure {
  @usableFromInline let downstream: Downstream
  @usableFromInline let current: CurrentUpstream
  @usableFromInline let next: @Sendable (SignalCompletion<Failure>, Bool) -> Continuation<Second>

  @inlinable @inline(__always)
  init(
    downstream: Downstream, current: CurrentUpstream,
    next: @escaping @Sendable (SignalCompletion<Failure>, Bool) -> Continuation<Second>
  ) {
    (self.downstream, self.current, self.next) = (downstream, current, next)
  }

  @inlinable @inline(__always)
  func receive(_ value: Downstream.Element) {
    current.isEmpty = false
    downstream.receive(value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>) {
    guard !isDone else { return }
    let continuation = next(completion, current.isEmpty)
    // The closure may have cancelled the subscription.
    guard !isDone else { return }
    switch continuation {
    case .end(let completion): downstream.receive(completion: completion)
    case .signal(let second):
      let input = current.begin()
      current.keep(second.subscribe(CurrentStage(downstream: downstream, current: current)), of: input)
    }
  }

  @inlinable @inline(__always)
  var isDone: Bool { current.isCancelled || downstream.isDone }
}

/// A subscriber that passes on the values of a signal that was subscribed to after the user received the token.
///
/// Such a signal may send before its own token has been kept. Until then, this check is the only way to stop it.
@usableFromInline
struct CurrentStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let current: CurrentUpstream

  @inlinable @inline(__always)
  init(downstream: Downstream, current: CurrentUpstream) {
    (self.downstream, self.current) = (downstream, current)
  }

  @inlinable @inline(__always)
  func receive(_ value: Downstream.Element) {
    if !current.isCancelled { downstream.receive(value) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Downstream.Failure>) {
    if !current.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { current.isCancelled || downstream.isDone }
}
