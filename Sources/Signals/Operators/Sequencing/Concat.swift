/// Sends the values of several signals, one signal after another.
///
/// Each signal is subscribed to when the previous one has finished. The first failure ends the result. Any number of
/// signals uses constant stack space, even if they finish at once.
///
/// ```swift
/// import Signals
///
/// let greeting = concat(JustSignal("Hello"), ["dear", "reader"].signal)
/// let subscription = greeting.sink { print($0) }
/// // Prints "Hello"
/// // Prints "dear"
/// // Prints "reader"
/// ```
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of all values.
public func concat<Element: Sendable, Failure: Error>(
  _ signals: any Signal<Element, Failure>...
) -> some Signal<Element, Failure> {
  ConcatSignal(signals: signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of a list of signals, one signal after another.
///
/// - Parameter signals: The signals.
/// - Returns: A signal of all values.
public func concat<Input: Signal>(_ signals: some Sequence<Input>) -> some Signal<Input.Element, Input.Failure> {
  ConcatSignal(signals: signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of a list of signals of different types, one signal after another.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of all values.
public func concat<Element: Sendable, Failure: Error>(
  _ signals: [any Signal<Element, Failure>]
) -> some Signal<Element, Failure> {
  ConcatSignal(signals: signals.map { $0.eraseToAnySignal() })
}

/// A signal of the values of several signals in sequence; the result of ``concat(_:)-(Sequence)`` and its overloads.
@usableFromInline
struct ConcatSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let signals: [AnySignal<Element, Failure>]

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    SignalSubscription(owner: ConcatRun.start(signals, for: ErasedSubscriber(subscriber)))
  }
}

/// One subscription to a sequence of signals; its inputs own it.
@usableFromInline
final class ConcatRun<Element: Sendable, Failure: Error>: InputReceiver, @unchecked Sendable {
  // Sound: `index` belongs to the thread that advances; the rest is immutable or guards itself.
  private let signals: [AnySignal<Element, Failure>]
  private let subscriber: ErasedSubscriber<Element, Failure>
  private let current = CurrentUpstream()
  private let trampoline = Trampoline()
  private var index = 0

  private init(of signals: [AnySignal<Element, Failure>], for subscriber: ErasedSubscriber<Element, Failure>) {
    (self.signals, self.subscriber) = (signals, subscriber)
  }

  /// Subscribes to the first signal, and returns what cancels the subscription.
  @usableFromInline
  static func start(
    _ signals: [AnySignal<Element, Failure>], for subscriber: ErasedSubscriber<Element, Failure>
  ) -> SubscriptionOwner {
    let run = ConcatRun(of: signals, for: subscriber)
    run.advance()
    return run.current
  }

  /// Continues with the next signal, or finishes after the last.
  private func advance() {
    trampoline.run {
      guard !isDone(()) else { return }
      guard index < signals.count else { return end(.finished) }
      index += 1
      let input = current.begin()
      current.keep(signals[index - 1].subscribe(HubInput(self)), of: input)
    }
  }

  @usableFromInline
  func receive(_ value: Element, from key: Void) {
    if !current.isCancelled { subscriber.receive(value) }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>, from key: Void) {
    guard !current.isCancelled else { return }
    if case .finished = completion { advance() } else { end(completion) }
  }

  private func end(_ completion: SignalCompletion<Failure>) {
    current.cancelAll()
    subscriber.receive(completion: completion)
  }

  @usableFromInline
  func isDone(_ key: Void) -> Bool { current.isCancelled || subscriber.isDone }
}

extension ConcatRun: IndirectStep {
  var next: Any? { subscriber.inside }
}
