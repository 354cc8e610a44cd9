extension Signal {
  /// Sends the values of this signal and another as they arrive.
  ///
  /// The result finishes when both signals have finished, and fails as soon as one of them fails.
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of the values of both.
  @inlinable @inline(__always)
  public func merge<Other: Signal<Element, Failure>>(with other: Other) -> some Signal<Element, Failure> {
    MergeSignal(first: self, second: other)
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
  _ first: First,
  _ second: Second
) -> some Signal<First.Element, First.Failure> {
  MergeSignal(first: first, second: second)
}

/// A signal of the values of two signals; the result of ``Signal/merge(with:)``.
@usableFromInline
struct MergeSignal<First: Signal, Second: Signal>: Signal
where Second.Element == First.Element, Second.Failure == First.Failure {
  /// The values of both signals.
  @usableFromInline typealias Element = First.Element

  /// The error of either signal.
  @usableFromInline typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable @inline(__always)
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  /// Attaches a subscriber to both signals, first to this one and then to the other.
  @inlinable @inline(__always)
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = MergeHub<Element, Failure>(inputs: 2)
    let subscription = hub.open(for: subscriber)
    hub.attach(to: first)
    hub.attach(to: second)
    return subscription
  }
}

/// The object at which the inputs of one subscription to a merged signal meet.
@usableFromInline
final class MergeHub<Element: Sendable, Failure: Error>: InputHub, @unchecked Sendable {
  // Sound: `live` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()
  private var live: Int

  @usableFromInline
  init(inputs: Int) {
    live = inputs
  }

  /// Subscribes to one more input, unless the subscriber needs no more values.
  @inlinable @inline(__always)
  func attach(to input: some Signal<Element, Failure>) {
    if !isDone { upstreams.add(input.subscribe(MergeInput(hub: self))) }
  }

  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      live -= 1
      if case .finished = completion, live > 0 { return }
      finish(completion)
    }
  }
}

@usableFromInline
struct MergeInput<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: MergeHub<Element, Failure>

  @inlinable @inline(__always)
  init(hub: MergeHub<Element, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.core.send(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
