/// The values of one input of a zipped signal that wait for their partners.
@usableFromInline
final class ZipQueue<Value: Sendable>: @unchecked Sendable {  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable @inline(__always)
  init() {}

  /// Makes the queue for the values of a signal, whose type says which they are.
  @inlinable
  convenience init(of signal: AnySignal<Value, some Error>) {
    self.init()
  }

  /// The next value; to be called if there is one.
  @inlinable @inline(__always)
  func next() -> Value {
    values.popFirst().unsafelyUnwrapped  // Sound: the hub has seen that it is there.
  }

  @inlinable @inline(__always)
  var isEmpty: Bool { values.isEmpty }

  /// Whether no value will ever come from here.
  @inlinable @inline(__always)
  var isExhausted: Bool { hasEnded && values.isEmpty }
}

/// Where the inputs of one subscription to a zipped signal meet.
@usableFromInline
final class ZipHub<Output: Sendable, Failure: Error>: InputHub {
  @usableFromInline let core = EmitterCore<Output, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// Takes the next value of each input, or returns `nil` as long as one is missing.
  @usableFromInline let next: @Sendable () -> Output?

  /// Whether an input has ended and has no value left.
  @usableFromInline let isExhausted: @Sendable () -> Bool

  @inlinable
  init(next: @escaping @Sendable () -> Output?, isExhausted: @escaping @Sendable () -> Bool) {
    self.next = next
    self.isExhausted = isExhausted
  }

  @inlinable @inline(__always)
  func receive<Value>(_ value: Value, for input: ZipQueue<Value>) {
    core.withTurn { [self] in add(value, to: input) }
  }

  @inlinable @inline(__always)
  func add<Value>(_ value: Value, to input: ZipQueue<Value>) {
    input.values.append(value)
    guard let output = next() else { return }
    core.deliver(output)
    if isExhausted() { finish(.finished) }
  }

  @usableFromInline
  func receive<Value>(completion: SignalCompletion<Failure>, for input: ZipQueue<Value>) {
    core.withTurn { [self] in
      input.hasEnded = true
      if case .finished = completion, !isExhausted() { return }
      finish(completion)
    }
  }
}

@usableFromInline
@frozen
struct ZipInput<Element: Sendable, Output: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: ZipHub<Output, Failure>
  @usableFromInline let queue: ZipQueue<Element>

  @inlinable @inline(__always)
  init(hub: ZipHub<Output, Failure>, queue: ZipQueue<Element>) {
    self.hub = hub
    self.queue = queue
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.receive(value, for: queue)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.receive(completion: completion, for: queue)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
