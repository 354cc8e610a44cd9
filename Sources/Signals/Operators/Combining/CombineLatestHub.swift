/// The latest value of one input of a combination.
@usableFromInline
final class LatestValue<Value: Sendable>: @unchecked Sendable {  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var value: Value?

  @inlinable @inline(__always)
  init() {}

  @inlinable
  var isMissing: Bool { value == nil }

  /// Creates the storage for the values of a signal, from which the compiler infers the type.
  @inlinable
  convenience init(of signal: AnySignal<Value, some Error>) {
    self.init()
  }
}

/// The object at which the inputs of one subscription to a combined signal meet.
@usableFromInline
final class CombineLatestHub<Output: Sendable, Failure: Error>: InputHub, @unchecked Sendable {
  // Sound: `live` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Output, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// Returns the combination of the latest values, or `nil` if one is missing.
  @usableFromInline let combined: @Sendable () -> Output?
  private var live: Int

  @usableFromInline
  init(inputs: Int, combined: @escaping @Sendable () -> Output?) {
    live = inputs
    self.combined = combined
  }

  @inlinable @inline(__always)
  func receive<Value>(_ value: Value, for input: LatestValue<Value>) {
    core.withTurn { [self] in update(value, for: input) }
  }

  @inlinable @inline(__always)
  func update<Value>(_ value: Value, for input: LatestValue<Value>) {
    input.value = value
    if let output = combined() { core.deliver(output) }
  }

  @usableFromInline
  func end<Value>(_ completion: SignalCompletion<Failure>, of input: LatestValue<Value>) {
    core.withTurn { [self] in
      live -= 1
      if case .finished = completion, live > 0, input.value != nil { return }
      finish(completion)
    }
  }
}

@usableFromInline
struct CombineLatestInput<Element: Sendable, Output: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: CombineLatestHub<Output, Failure>
  @usableFromInline let latest: LatestValue<Element>

  @inlinable @inline(__always)
  init(hub: CombineLatestHub<Output, Failure>, latest: LatestValue<Element>) {
    self.hub = hub
    self.latest = latest
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.receive(value, for: latest)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion, of: latest)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
