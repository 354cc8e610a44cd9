/// Sends the values of several signals as they arrive.
///
/// ```swift
/// import Signals
///
/// let keyboard = Emitter<String, Never>()
/// let voice = Emitter<String, Never>()
/// let subscription = merge(keyboard, voice).sink { print($0) }
/// keyboard.send("left")  // Prints "left"
/// voice.send("stop")  // Prints "stop"
/// ```
///
/// The signals are subscribed to in the order given. The result finishes when all signals have finished, and fails as
/// soon as one of them fails. Two or three signals, and lists of one type of signal, are merged without erasing their
/// types, which is faster.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of the values of all signals.
public func merge<Element: Sendable, Failure: Error>(
  _ signals: any Signal<Element, Failure>...
) -> some Signal<Element, Failure> {
  MergeManySignal(signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of a list of signals as they arrive.
///
/// The result finishes when all signals have finished, and fails as soon as one of them fails. If the list is empty,
/// the result finishes at once.
///
/// - Parameter signals: The signals.
/// - Returns: A signal of the values of all signals.
@inlinable @inline(__always)
public func merge<Input: Signal>(_ signals: some Sequence<Input>) -> some Signal<Input.Element, Input.Failure> {
  MergeManySignal(Array(signals))
}

/// Sends the values of a list of signals of different types as they arrive.
///
/// ```swift
/// import Signals
///
/// let clicks = Emitter<Int, Never>()
/// let keys = Emitter<Int, Never>()
/// let subscription = merge([clicks, keys.map { $0 * 10 }]).sink { print($0) }
/// clicks.send(1)  // Prints "1"
/// keys.send(2)  // Prints "20"
/// ```
///
/// The types are erased, which is slower than a list of signals of one type.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of the values of all signals.
public func merge<Element: Sendable, Failure: Error>(
  _ signals: [any Signal<Element, Failure>]
) -> some Signal<Element, Failure> {
  MergeManySignal(signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of three signals as they arrive.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
///   - third: The third signal.
/// - Returns: A signal of the values of all three.
@inlinable @inline(__always)
public func merge<First: Signal, Second: Signal, Third: Signal>(
  _ first: First,
  _ second: Second,
  _ third: Third
) -> some Signal<First.Element, First.Failure>
where
  Second.Element == First.Element, Second.Failure == First.Failure,
  Third.Element == First.Element, Third.Failure == First.Failure
{
  MergeThreeSignal(first: first, second: second, third: third)
}

/// A signal of the values of a list of signals; the result of ``merge(_:)-(Sequence)`` and its overloads.
@usableFromInline
struct MergeManySignal<Input: Signal>: Signal {
  /// The values of the signals.
  @usableFromInline typealias Element = Input.Element

  /// The error of the signals.
  @usableFromInline typealias Failure = Input.Failure

  @usableFromInline let inputs: [Input]

  @inlinable @inline(__always)
  init(_ inputs: [Input]) {
    self.inputs = inputs
  }

  /// Attaches a subscriber to all signals, in the order in which they were given.
  @inlinable @inline(__always)
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = MergeHub<Element, Failure>(inputs: inputs.count)
    let subscription = hub.open(for: subscriber)
    if inputs.isEmpty { hub.core.end(.finished) }
    for input in inputs { hub.attach(to: input) }
    return subscription
  }
}

/// A signal of the values of three signals; the result of ``merge(_:_:_:)``.
@usableFromInline
struct MergeThreeSignal<First: Signal, Second: Signal, Third: Signal>: Signal
where
  Second.Element == First.Element, Second.Failure == First.Failure,
  Third.Element == First.Element, Third.Failure == First.Failure
{
  /// The values of the signals.
  @usableFromInline typealias Element = First.Element

  /// The error of any of the signals.
  @usableFromInline typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second
  @usableFromInline let third: Third

  @inlinable @inline(__always)
  init(first: First, second: Second, third: Third) {
    self.first = first
    self.second = second
    self.third = third
  }

  /// Attaches a subscriber to all signals, in the order in which they were given.
  @inlinable @inline(__always)
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = MergeHub<Element, Failure>(inputs: 3)
    let subscription = hub.open(for: subscriber)
    hub.attach(to: first)
    hub.attach(to: second)
    hub.attach(to: third)
    return subscription
  }
}
