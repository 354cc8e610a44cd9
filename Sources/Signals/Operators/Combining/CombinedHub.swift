/// The state of one input of a combination.
@usableFromInline
protocol CombinedSlot<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// A Boolean value that indicates whether the input has ended.
  var hasEnded: Bool { get set }

  /// A Boolean value that indicates whether there is no value of the input for the next combination.
  var isMissing: Bool { get }

  init()

  func keep(_ value: Value)

  /// Returns the value for the next combination, which must not be missing.
  func take(for hub: CombinedHub<some Sendable, some Error>) -> Value
}

extension CombinedSlot {
  /// Creates the slot for the values of a signal, from which the compiler infers the type.
  @inlinable
  init(of signal: AnySignal<Value, some Error>) {
    self.init()
  }
}

/// The object at which the inputs of one subscription to a combined or zipped signal meet.
@usableFromInline
final class CombinedHub<Output: Sendable, Failure: Error>: InputHub, @unchecked Sendable {
  // Sound: the mutable state is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Output, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// Returns the combination of what the slots keep; called if no value is missing.
  @usableFromInline let combine: @Sendable (CombinedHub) -> Output

  /// The number of inputs that have not ended.
  private var live: Int

  /// The number of slots without a value for the next combination.
  @exclusivity(unchecked) @usableFromInline var missing: Int

  /// A Boolean value that indicates whether a slot whose input has ended has lost its last value.
  @exclusivity(unchecked) @usableFromInline var isExhausted = false

  @usableFromInline
  init(inputs: Int, combine: @escaping @Sendable (CombinedHub) -> Output) {
    (live, missing, self.combine) = (inputs, inputs, combine)
  }

  @inlinable @inline(__always)
  func receive<Slot: CombinedSlot>(_ value: Slot.Value, for slot: Slot) {
    core.withTurn { [self] in
      if slot.isMissing { missing -= 1 }
      slot.keep(value)
      if missing > 0 { return }
      core.deliver(combine(self))
      if isExhausted { finish(.finished) }
    }
  }

  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>, of slot: some CombinedSlot) {
    core.withTurn { [self] in
      live -= 1
      slot.hasEnded = true
      if case .finished = completion, live > 0, !slot.isMissing { return }
      finish(completion)
    }
  }
}

@usableFromInline
struct CombinedInput<Slot: CombinedSlot, Output: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: CombinedHub<Output, Failure>
  @usableFromInline let slot: Slot

  @inlinable @inline(__always)
  init(_ hub: CombinedHub<Output, Failure>, _ slot: Slot) {
    (self.hub, self.slot) = (hub, slot)
  }

  @inlinable @inline(__always)
  func receive(_ value: Slot.Value) {
    hub.receive(value, for: slot)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion, of: slot)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}

extension CombinedInput: OperatorStep {
  var operation: Slot { slot }
}

extension Signal {
  /// Combines what a slot keeps of this signal with what another slot keeps of another signal.
  @inlinable @inline(__always)
  func combined<Other: Signal, Mine: CombinedSlot<Element>, Others: CombinedSlot<Other.Element>>(
    with other: Other, in slots: (Mine.Type, Others.Type)
  ) -> some Signal<(Element, Other.Element), Failure> where Other.Failure == Failure {
    HubSignal { open in
      let (mine, others) = (Mine(), Others())
      let hub = CombinedHub<(Element, Other.Element), Failure>(inputs: 2) { hub in
        (mine.take(for: hub), others.take(for: hub))
      }
      return open(hub) {
        hub.attach(CombinedInput(hub, mine), to: self)
        hub.attach(CombinedInput(hub, others), to: other)
      }
    }
  }
}

/// Combines what slots keep of a list of signals.
func combined<Input: Signal, Slot: CombinedSlot<Input.Element>>(
  _ signals: some Sequence<Input>, in slot: Slot.Type
) -> some Signal<[Input.Element], Input.Failure> {
  let inputs = Array(signals)
  return HubSignal { open in
    let slots = inputs.map { _ in Slot() }
    let hub = CombinedHub<[Input.Element], Input.Failure>(inputs: inputs.count) { hub in
      slots.map { $0.take(for: hub) }
    }
    return open(hub) { hub.attach(all: inputs) { CombinedInput(hub, slots[$0]) } }
  }
}
