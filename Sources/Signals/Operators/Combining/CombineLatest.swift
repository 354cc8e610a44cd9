extension Signal {
  /// Sends a pair of the latest values of this signal and another whenever either of them sends.
  ///
  /// The first pair is sent once both signals have sent a value.
  ///
  /// The result finishes when both signals have finished, or as soon as one finishes without having sent a value. It
  /// fails as soon as one of them fails. The first signal may send all its values during the subscription, before the
  /// second is subscribed to. It must therefore not send an endless sequence at once.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let width = MutableProperty(2)
  /// let height = MutableProperty(3)
  /// let subscription = width.combineLatest(height).map { $0 * $1 }.sink { print("area", $0) }  // Prints "area 6"
  /// height.value = 5  // Prints "area 10"
  /// ```
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func combineLatest<Other: Signal>(_ other: Other) -> some Signal<(Element, Other.Element), Failure>
  where Other.Failure == Failure {
    combined(with: other, in: (LatestValue<Element>.self, LatestValue<Other.Element>.self))
  }
}

/// The latest value of one input of a combination.
@usableFromInline
final class LatestValue<Value: Sendable>: CombinedSlot, @unchecked Sendable {
  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var value: Value?
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  var isMissing: Bool { value == nil }

  @inlinable @inline(__always)
  func keep(_ value: Value) {
    self.value = value
  }

  @inlinable @inline(__always)
  func take(for hub: CombinedHub<some Sendable, some Error>) -> Value {
    value.unsafelyUnwrapped  // Sound: the hub has checked that no value is missing.
  }
}

/// Sends a tuple of the latest values of several signals whenever one of them sends, once all have sent.
///
/// The result finishes when all signals have finished, or as soon as one finishes without having sent a value. It fails
/// as soon as one of them fails. Two to four signals are combined without erasing their types, which is faster.
///
/// ```swift
/// import Signals
///
/// let name = MutableProperty("Ada")
/// let age = MutableProperty(36)
/// let isAdmin = MutableProperty(true)
/// let subscription = combineLatest(name, age, isAdmin).sink { print($0, $1, $2) }  // Prints "Ada 36 true"
/// ```
///
/// - Parameter signals: The signals, which all have the same failure type.
/// - Returns: A signal of tuples.
public func combineLatest<each Element: Sendable, Failure: Error>(
  _ signals: repeat any Signal<each Element, Failure>
) -> AnySignal<(repeat each Element), Failure> {
  let upstreams = (repeat (each signals).eraseToAnySignal())
  let signal = HubSignal { open in
    let slots = (repeat LatestValue<each Element>(of: each upstreams))
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

/// Sends a pair of the latest values of two signals whenever one of them sends, once both have sent.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
/// - Returns: A signal of pairs.
@inlinable @inline(__always)
public func combineLatest<First: Signal, Second: Signal>(
  _ first: First, _ second: Second
) -> some Signal<(First.Element, Second.Element), First.Failure> where First.Failure == Second.Failure {
  first.combineLatest(second)
}

/// Sends a triple of the latest values of three signals whenever one of them sends, once all have sent.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
///   - third: The third signal.
/// - Returns: A signal of triples.
@inlinable @inline(__always)
public func combineLatest<First: Signal, Second: Signal, Third: Signal>(
  _ first: First, _ second: Second, _ third: Third
) -> some Signal<(First.Element, Second.Element, Third.Element), First.Failure>
where First.Failure == Second.Failure, Second.Failure == Third.Failure {
  first.combineLatest(second).combineLatest(third).map { ($0.0, $0.1, $1) }
}

/// Sends a quadruple of the latest values of four signals whenever one of them sends, once all have sent.
///
/// - Parameters:
///   - first: The first signal.
///   - second: The second signal.
///   - third: The third signal.
///   - fourth: The fourth signal.
/// - Returns: A signal of quadruples.
@inlinable @inline(__always)
public func combineLatest<First: Signal, Second: Signal, Third: Signal, Fourth: Signal>(
  _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth
) -> some Signal<(First.Element, Second.Element, Third.Element, Fourth.Element), First.Failure>
where First.Failure == Second.Failure, Second.Failure == Third.Failure, Third.Failure == Fourth.Failure {
  first.combineLatest(second).combineLatest(third.combineLatest(fourth)).map { ($0.0, $0.1, $1.0, $1.1) }
}

/// Sends an array of the latest values of a list of signals whenever one of them sends, once all have sent.
///
/// The values are in the order of the signals. The result finishes when all signals have finished, or as soon as one
/// finishes without having sent a value. It fails as soon as one of them fails. If the list is empty, the result
/// finishes at once, without a value.
///
/// ```swift
/// import Signals
///
/// let volumes = [MutableProperty(1), MutableProperty(2), MutableProperty(3)]
/// let subscription = combineLatest(volumes).sink { print($0) }  // Prints "[1, 2, 3]"
/// volumes[1].value = 5  // Prints "[1, 5, 3]"
/// ```
///
/// - Parameter signals: The signals.
/// - Returns: A signal of arrays.
public func combineLatest<Input: Signal>(
  _ signals: some Sequence<Input>
) -> some Signal<[Input.Element], Input.Failure> {
  combined(signals, in: LatestValue<Input.Element>.self)
}

/// Sends an array of the latest values of a list of signals of different types, once all have sent.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of arrays, in the order of the signals.
public func combineLatest<Element: Sendable, Failure: Error>(
  _ signals: [any Signal<Element, Failure>]
) -> some Signal<[Element], Failure> {
  combineLatest(signals.map { $0.eraseToAnySignal() })
}
