/// What a combination keeps of one input.
@usableFromInline
protocol CombinedSlot: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// A Boolean value that indicates whether the input has ended.
  var hasEnded: Bool { get set }

  /// A Boolean value that indicates whether no more combinations are possible, because the input has ended.
  var isExhausted: Bool { get }

  init()

  func keep(_ value: Value)
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
  // Sound: `live` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Output, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// Delivers the combination of what the slots keep, if none is missing.
  @usableFromInline let combine: @Sendable (CombinedHub) -> Void
  private var live: Int

  @usableFromInline
  init(inputs: Int, combine: @escaping @Sendable (CombinedHub) -> Void) {
    (live, self.combine) = (inputs, combine)
  }

  @inlinable @inline(__always)
  func receive<Slot: CombinedSlot>(_ value: Slot.Value, for slot: Slot) {
    core.withTurn { [self] in
      slot.keep(value)
      combine(self)
    }
  }

  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>, of slot: some CombinedSlot) {
    core.withTurn { [self] in
      live -= 1
      slot.hasEnded = true
      if case .finished = completion, live > 0, !slot.isExhausted { return }
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
  var anyOperation: Any { slot }
}
