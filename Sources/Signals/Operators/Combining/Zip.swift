extension Signal {
  /// Sends pairs of values: the first values of both signals, then the second values, and so on.
  ///
  /// A value waits until its partner arrives. The result finishes as soon as no further pair is possible, because one
  /// signal has finished and all its values have been paired. It fails as soon as one signal fails. The first signal
  /// may send all its values during the subscription, before the second is subscribed to. It must therefore not send an
  /// endless sequence at once.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let requests = Emitter<String, Never>()
  /// let answers = Emitter<Int, Never>()
  /// let subscription = requests.zip(answers).sink { print($0, $1) }
  /// requests.send("a")
  /// requests.send("b")
  /// answers.send(1)  // Prints "a 1"
  /// answers.send(2)  // Prints "b 2"
  /// ```
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func zip<Other: Signal>(_ other: Other) -> some Signal<(Element, Other.Element), Failure>
  where Other.Failure == Failure {
    combined(with: other, in: (ZipQueue<Element>.self, ZipQueue<Other.Element>.self))
  }
}

/// The values of one input of a zipped signal that wait for their partners.
@usableFromInline
final class ZipQueue<Value: Sendable>: CombinedSlot, @unchecked Sendable {
  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  var isMissing: Bool { values.isEmpty }

  @inlinable @inline(__always)
  func keep(_ value: Value) {
    values.append(value)
  }

  @inlinable @inline(__always)
  func take(for hub: CombinedHub<some Sendable, some Error>) -> Value {
    let value = values.popFirst().unsafelyUnwrapped  // Sound: the hub has checked that no value is missing.
    if isMissing {
      hub.missing += 1
      if hasEnded { hub.isExhausted = true }
    }
    return value
  }
}

/// Sends tuples of values: the first values of all signals, then the second values, and so on.
///
/// A value waits until its partners arrive. The result finishes as soon as no further tuple is possible, because one
/// signal has finished and all its values have been used. It fails as soon as one signal fails. Two signals are zipped
/// without erasing their types, which is faster.
///
/// ```swift
/// import Signals
///
/// let names = ["Ada", "Alan"].signal
/// let years = [1815, 1912].signal
/// let subscription = zip(names, years, (1...).signal).sink { print($2, $0, $1) }
/// // Prints "1 Ada 1815"
/// // Prints "2 Alan 1912"
/// ```
///
/// - Parameter signals: The signals, which all have the same failure type.
/// - Returns: A signal of tuples.
public func zip<each Element: Sendable, Failure: Error>(
  _ signals: repeat any Signal<each Element, Failure>
) -> AnySignal<(repeat each Element), Failure> {
  let upstreams = (repeat (each signals).eraseToAnySignal())
  let signal = HubSignal { open in
    let slots = (repeat ZipQueue<each Element>(of: each upstreams))
    var inputs = 0
    for _ in repeat each slots { inputs += 1 }
    let hub = CombinedHub<(repeat each Element), Failure>(inputs: inputs) { (repeat (each slots).take(for: $0)) }
    return open(hub) {
      for (upstream, slot) in repeat (each upstreams, each slots) { hub.attach(CombinedInput(hub, slot), to: upstream) }
    }
  }
  // Not an opaque type, from which the compiler could not infer the elements.
  return AnySignal(signal)
}

/// Sends pairs of values: the first values of both signals, then the second values, and so on.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
/// - Returns: A signal of pairs, as returned by ``Signal/zip(_:)``.
@inlinable @inline(__always)
public func zip<First: Signal, Second: Signal>(
  _ first: First, _ second: Second
) -> some Signal<(First.Element, Second.Element), First.Failure> where First.Failure == Second.Failure {
  first.zip(second)
}

/// Sends arrays of values: the first values of all signals, then the second values, and so on.
///
/// The values are in the order of the signals. A value waits until its partners arrive. The result finishes as soon as
/// no further array is possible, and fails as soon as one signal fails. If the list is empty, the result finishes at
/// once.
///
/// ```swift
/// import Signals
///
/// let lanes = [["a", "b"].signal, ["c", "d"].signal]
/// let subscription = zip(lanes).sink { print($0.joined()) }
/// // Prints "ac"
/// // Prints "bd"
/// ```
///
/// - Parameter signals: The signals.
/// - Returns: A signal of arrays.
public func zip<Input: Signal>(_ signals: some Sequence<Input>) -> some Signal<[Input.Element], Input.Failure> {
  combined(signals, in: ZipQueue<Input.Element>.self)
}

/// Sends arrays of the values of signals of different types: the first values, then the second values, and so on.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of arrays, in the order of the signals.
public func zip<Element: Sendable, Failure: Error>(
  _ signals: [any Signal<Element, Failure>]
) -> some Signal<[Element], Failure> {
  zip(signals.map { $0.eraseToAnySignal() })
}
