/// What follows the end of the first of two signals.
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
