/// The values of one input of a zipped signal that wait for their partners.
@usableFromInline
final class ZipQueue<Value: Sendable>: @unchecked Sendable {  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Value>()
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable @inline(__always)
  init() {}

  /// Creates the queue for the values of a signal, from which the compiler infers the type.
  @inlinable
  convenience init(of signal: AnySignal<Value, some Error>) {
    self.init()
  }

  /// Removes and returns the next value.
  ///
  /// The queue must not be empty.
  @inlinable @inline(__always)
  func next() -> Value {
    values.popFirst().unsafelyUnwrapped  // Sound: the hub has checked that the queue is not empty.
  }

  @inlinable @inline(__always)
  var isEmpty: Bool { values.isEmpty }

  /// A Boolean value that indicates whether the input has ended and all its values have been used.
  @inlinable @inline(__always)
  var isExhausted: Bool { hasEnded && values.isEmpty }
}

/// The object at which the inputs of one subscription to a zipped signal meet.
@usableFromInline
final class ZipHub<Output: Sendable, Failure: Error>: InputHub {
  @usableFromInline let core = EmitterCore<Output, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// Removes the next value of each input and returns the combination, or `nil` if a value is missing.
  @usableFromInline let next: @Sendable () -> Output?

  /// Returns a Boolean value that indicates whether an input has ended and all its values have been used.
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
