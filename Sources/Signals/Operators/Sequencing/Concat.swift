import Synchronization

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
  ConcatSignal(signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of a list of signals, one signal after another.
///
/// - Parameter signals: The signals.
/// - Returns: A signal of all values.
public func concat<Input: Signal>(_ signals: some Sequence<Input>) -> some Signal<Input.Element, Input.Failure> {
  ConcatSignal(signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of a list of signals of different types, one signal after another.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of all values.
public func concat<Element: Sendable, Failure: Error>(
  _ signals: [any Signal<Element, Failure>]
) -> some Signal<Element, Failure> {
  ConcatSignal(signals.map { $0.eraseToAnySignal() })
}

/// A signal of the values of several signals in sequence; the result of ``concat(_:)-(Sequence)`` and its overloads.
@usableFromInline
struct ConcatSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let signals: [AnySignal<Element, Failure>]

  init(_ signals: [AnySignal<Element, Failure>]) {
    self.signals = signals
  }

  /// Attaches a subscriber to the first signal and, as each one finishes, to the next.
  @inlinable @inline(__always)
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let run = ConcatRun(of: signals, for: ErasedSubscriber(subscriber))
    run.advance()
    return SignalSubscription(owner: run)
  }
}

/// One subscription to a sequence of signals.
@usableFromInline
final class ConcatRun<Element: Sendable, Failure: Error>: SubscriptionOwner, @unchecked Sendable {
  // Sound: `next` belongs to the thread that advances; the rest is atomic or guarded by the lock.
  private var next = 0

  private let trampoline = Trampoline()

  private let lock = Lock()
  private let isOver = Atomic<Bool>(false)

  /// The signals.
  ///
  /// They are released at the end, because the subscription's token keeps the run alive.
  private var signals: [AnySignal<Element, Failure>]
  private var current: SignalSubscription?
  private var subscriber: ErasedSubscriber<Element, Failure>?

  @usableFromInline
  init(of signals: [AnySignal<Element, Failure>], for subscriber: ErasedSubscriber<Element, Failure>) {
    self.signals = signals
    self.subscriber = subscriber
  }

  var isCancelled: Bool { isOver.load(ordering: .acquiring) }

  /// Continues with the next signal, or finishes after the last.
  @usableFromInline
  func advance() {
    trampoline.run { step() }
  }

  private func step() {
    let (taker, signal) = lock.withLock { (subscriber, next < signals.count ? signals[next] : nil) }
    guard let subscriber = taker, !subscriber.isDone else { return }
    guard let signal else {
      close()
      return subscriber.receive(completion: .finished)
    }
    next += 1
    let subscription = signal.subscribe(ConcatStage(downstream: subscriber, run: self))
    let replaced = lock.withLock {
      if isCancelled { return Optional(subscription) }
      let replaced = current
      current = subscription
      return replaced
    }
    // Either the previous token, whose signal has ended, or this one, if the subscription has been cancelled.
    replaced?.cancel()
  }

  /// Ends the result with the failure of one signal.
  func fail(_ completion: SignalCompletion<Failure>) {
    guard let subscriber = lock.withLock({ subscriber }) else { return }
    close()
    subscriber.receive(completion: completion)
  }

  /// Cancels the current signal, and releases the subscriber and all signals.
  private func close() {
    isOver.store(true, ordering: .releasing)
    let released = lock.withLock {
      let released = (current: current, subscriber: subscriber, signals: signals)
      current = nil
      subscriber = nil
      signals = []
      return released
    }
    released.current?.cancel()
    // Not under the lock: the `deinit` of a captured value may run code.
    withExtendedLifetime((released.subscriber, released.signals)) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    close()
  }
}

/// A subscriber that passes on the values of one signal.
private struct ConcatStage<Element: Sendable, Failure: Error>: SignalSubscriber {
  let downstream: ErasedSubscriber<Element, Failure>
  let run: ConcatRun<Element, Failure>

  func receive(_ value: Element) {
    if !run.isCancelled { downstream.receive(value) }
  }

  func receive(completion: SignalCompletion<Failure>) {
    switch completion {
    case .finished: run.advance()
    case .failure: run.fail(completion)
    }
  }

  var isDone: Bool { run.isCancelled || downstream.isDone }
}
