extension Signal {
  /// Sends the values of this signal and another as they arrive.
  ///
  /// The result finishes when both signals have finished, and fails as soon as one of them fails.
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of the values of both.
  @inlinable @inline(__always)
  public func merge<Other: Signal<Element, Failure>>(with other: Other) -> some Signal<Element, Failure> {
    HubSignal { open in
      let hub = MergeHub<Element, Failure>(inputs: 2)
      return open(hub) {
        hub.attach(HubInput(hub), to: self)
        hub.attach(HubInput(hub), to: other)
      }
    }
  }
}

/// Sends the values of two signals as they arrive.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
/// - Returns: A signal of the values of both, as returned by ``Signal/merge(with:)``.
@inlinable @inline(__always)
public func merge<First: Signal, Second: Signal<First.Element, First.Failure>>(
  _ first: First, _ second: Second
) -> some Signal<First.Element, First.Failure> {
  first.merge(with: second)
}

/// The object at which the inputs of one subscription to a merged signal meet.
@usableFromInline
final class MergeHub<Element: Sendable, Failure: Error>: InputHub, InputReceiver, @unchecked Sendable {
  // Sound: `live` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()
  private var live: Int

  @usableFromInline
  init(inputs: Int) {
    live = inputs
  }

  @inlinable @inline(__always)
  func receive(_ value: Element, from key: Void) {
    core.send(value)
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>, from key: Void) {
    core.withTurn { [self] in
      live -= 1
      if case .finished = completion, live > 0 { return }
      finish(completion)
    }
  }

  @inlinable @inline(__always)
  func isDone(_ key: Void) -> Bool { isDone }
}

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
  merge(signals.map { $0.eraseToAnySignal() })
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
  let inputs = Array(signals)
  return HubSignal { open in
    let hub = MergeHub<Input.Element, Input.Failure>(inputs: inputs.count)
    return open(hub) { hub.attach(all: inputs) { _ in HubInput(hub) } }
  }
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
  merge(signals.map { $0.eraseToAnySignal() })
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
  _ first: First, _ second: Second, _ third: Third
) -> some Signal<First.Element, First.Failure>
where
  Second.Element == First.Element, Second.Failure == First.Failure,
  Third.Element == First.Element, Third.Failure == First.Failure
{
  HubSignal { open in
    let hub = MergeHub<First.Element, First.Failure>(inputs: 3)
    return open(hub) {
      hub.attach(HubInput(hub), to: first)
      hub.attach(HubInput(hub), to: second)
      hub.attach(HubInput(hub), to: third)
    }
  }
}
