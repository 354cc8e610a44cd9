/// Sends the values of whichever signal sends first, and cancels the others.
///
/// A signal also wins by finishing or failing first. The result ends as the winner ends. ReactiveX calls this operator
/// `amb`.
///
/// ```swift
/// import Signals
///
/// let europe = Emitter<String, Never>()
/// let asia = Emitter<String, Never>()
/// let subscription = race(europe, asia).sink { print($0) }
/// asia.send("from Asia")  // Prints "from Asia"
/// europe.send("from Europe")
/// ```
///
/// The signals are subscribed to in the order given. If one of them wins while it is being subscribed to, the remaining
/// ones are not subscribed to. Values are sent on the thread of the winner. If several threads send at the same time,
/// one of their signals wins, and no value of the others is delivered.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of the values of the winner.
/// - Complexity: O(1) for each value, without an allocation. O(*n*) in the number of signals when one wins.
public func race<Element: Sendable, Failure: Error>(
  _ signals: any Signal<Element, Failure>...
) -> some Signal<Element, Failure> {
  race(signals.map { $0.eraseToAnySignal() })
}

/// Sends the values of whichever signal in a list sends first, and cancels the others.
///
/// If the list is empty, the result finishes at once.
///
/// - Parameter signals: The signals.
/// - Returns: A signal of the values of the winner.
@inlinable @inline(__always)
public func race<Input: Signal>(_ signals: some Sequence<Input>) -> some Signal<Input.Element, Input.Failure> {
  let inputs = Array(signals)
  return HubSignal { open in
    let hub = RaceHub<Input.Element, Input.Failure>(inputs: inputs.count)
    return open(hub) {
      if inputs.isEmpty { hub.core.end(.finished) }
      for (number, input) in inputs.enumerated() { hub.attach(number, to: input) }
    }
  }
}

/// Sends the values of whichever signal in a list of different types sends first, and cancels the others.
///
/// - Parameter signals: The signals, which all have the same element and failure types.
/// - Returns: A signal of the values of the winner.
public func race<Element: Sendable, Failure: Error>(
  _ signals: [any Signal<Element, Failure>]
) -> some Signal<Element, Failure> {
  race(signals.map { $0.eraseToAnySignal() })
}

/// The object at which the inputs of one subscription to a race meet.
@usableFromInline
final class RaceHub<Element: Sendable, Failure: Error>: InputHub, InputReceiver, @unchecked Sendable {
  // Sound: `winner` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// The subscriptions to the inputs, one group for each, so that the losers can be cancelled.
  @usableFromInline let lanes: [Upstreams]

  /// The number of the input that sent first, if any has.
  @exclusivity(unchecked) @usableFromInline var winner: Int?

  @usableFromInline
  init(inputs: Int) {
    lanes = (0..<inputs).map { _ in Upstreams() }
    for lane in lanes { upstreams.add(SignalSubscription(owner: lane)) }
  }

  /// Subscribes to an input, unless another has won or the subscriber needs no values.
  @inlinable @inline(__always)
  func attach(_ number: Int, to input: some Signal<Element, Failure>) {
    let lane = lanes[number]
    if !lane.isCancelled, !isDone { lane.add(input.subscribe(HubInput(self, number))) }
  }

  /// A Boolean value that indicates whether no more values of an input are needed.
  @inlinable @inline(__always)
  func isDone(_ number: Int) -> Bool { lanes[number].isCancelled || isDone }

  @inlinable @inline(__always)
  func receive(_ value: Element, from number: Int) {
    core.withTurn { [self] in if wins(number) { core.deliver(value) } }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>, from number: Int) {
    core.withTurn { [self] in if wins(number) { finish(completion) } }
  }

  /// Returns a Boolean value that indicates whether an input has won, and makes it the winner if there is none.
  @inlinable @inline(__always)
  func wins(_ number: Int) -> Bool {
    if winner == nil { decide(for: number) }
    return winner == number
  }

  @usableFromInline
  func decide(for number: Int) {
    winner = number
    for (other, lane) in lanes.enumerated() where other != number { lane.cancelAll() }
  }
}
