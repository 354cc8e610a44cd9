extension Signal {
  /// Collects the values that arrive before each value of another signal into one array.
  ///
  /// If no value has arrived since the last array, nothing is sent. When this signal finishes, the remaining values are
  /// sent. A failure is passed on at once, and the remaining values are dropped. The completion of the other signal has
  /// no effect. RxJS calls this operator `buffer`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let edits = Emitter<String, Never>()
  /// let saves = Emitter<Void, Never>()
  /// let subscription = edits.chunked(by: saves).sink { print($0) }
  /// edits.send("title")
  /// edits.send("text")
  /// saves.send()  // Prints "["title", "text"]"
  /// saves.send()
  /// edits.send("date")
  /// edits.finish()  // Prints "["date"]"
  /// ```
  ///
  /// This signal is subscribed to first. If the other signal is derived from it, an array includes the value that ends
  /// it. The two signals may send from different threads. An array is sent on the thread of
  /// the other signal, and the last array on the thread on which this signal finishes.
  ///
  /// - Parameter boundaries: The signal whose values end the arrays. If it can fail, decide first what a failure means,
  ///   for example with ``replaceError(with:)``.
  /// - Returns: A signal of non-empty arrays.
  /// - Complexity: O(1) amortised for each value. The values of one array are kept.
  @inlinable @inline(__always)
  public func chunked<Boundaries: Signal>(
    by boundaries: Boundaries
  ) -> ChunkedSignal<Self, Boundaries> where Boundaries.Failure == Never {
    ChunkedSignal(upstream: self, boundaries: boundaries)
  }
}

/// A signal of arrays whose ends another signal determines; the result of ``Signal/chunked(by:)-(Boundaries)``.
public struct ChunkedSignal<Upstream: Signal, Boundaries: Signal>: Signal where Boundaries.Failure == Never {
  /// An array of values of the upstream signal, in order.
  public typealias Element = [Upstream.Element]

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let boundaries: Boundaries

  @inlinable @inline(__always)
  init(upstream: Upstream, boundaries: Boundaries) {
    self.upstream = upstream
    self.boundaries = boundaries
  }

  /// Attaches a subscriber to both signals, first to this one and then to the other.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = ChunkedHub<Upstream.Element, Failure>()
    let subscription = hub.open(for: subscriber)
    hub.attach(ChunkedInput(hub: hub), to: upstream)
    hub.attach(ChunkedBoundary<Boundaries.Element, Upstream.Element, Failure>(hub: hub), to: boundaries)
    return subscription
  }
}

/// The object at which a signal meets the one that ends its arrays.
@usableFromInline
final class ChunkedHub<Value: Sendable, Failure: Error>: InputHub, @unchecked Sendable {
  // Sound: `values` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<[Value], Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// The values since the last array.
  @exclusivity(unchecked) @usableFromInline var values: [Value] = []

  @usableFromInline
  init() {}

  @inlinable @inline(__always)
  func keep(_ value: Value) {
    core.withTurn { [self] in append(value) }
  }

  @inlinable @inline(__always)
  func append(_ value: Value) {
    if !core.hasEnded { values.append(value) }
  }

  @inlinable @inline(__always)
  func cut() {
    core.withTurn { [self] in flush() }
  }

  @usableFromInline
  func flush() {
    guard !values.isEmpty else { return }
    let chunk = values
    values = []
    core.deliver(chunk)
  }

  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      if case .finished = completion { flush() }
      values = []
      finish(completion)
    }
  }
}

@usableFromInline
struct ChunkedInput<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: ChunkedHub<Element, Failure>

  @inlinable @inline(__always)
  init(hub: ChunkedHub<Element, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.keep(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}

@usableFromInline
struct ChunkedBoundary<Element: Sendable, Value: Sendable, ValueFailure: Error>: SignalSubscriber {
  @usableFromInline typealias Failure = Never

  @usableFromInline let hub: ChunkedHub<Value, ValueFailure>

  @inlinable @inline(__always)
  init(hub: ChunkedHub<Value, ValueFailure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.cut()
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Never>) {}

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
