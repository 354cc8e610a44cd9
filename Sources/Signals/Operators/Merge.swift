extension Signal {
  /// Sends the values of this signal and of another as they come.
  ///
  /// The result finishes when both have finished, and fails as soon as one fails.
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func merge(with other: some Signal<Element, Failure>) -> MergeSignal<Element, Failure> {
    MergeSignal([eraseToAnySignal(), other.eraseToAnySignal()])
  }
}

/// Sends the values of several signals as they come.
///
/// ```swift
/// import Signals
///
/// let keyboard = Emitter<String, Never>()
/// let voice = Emitter<String, Never>()
/// let subscription = merge(keyboard, voice).sink { print($0) }
/// keyboard.send("left")  // Prints "left"
/// voice.send("stop")  // Prints "stop"
/// ```
///
/// The signals are subscribed to in the order given. The result finishes when all have finished, and fails as soon as one
/// fails.
///
/// - Parameter signals: The signals, of one element and failure.
/// - Returns: A signal of all values.
public func merge<Element: Sendable, Failure: Error>(
  _ signals: any Signal<Element, Failure>...
) -> MergeSignal<Element, Failure> {
  MergeSignal(signals.map { $0.eraseToAnySignal() })
}

/// A signal of the values of several; made by ``merge(_:)``.
public struct MergeSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let upstreams: [AnySignal<Element, Failure>]

  @inlinable @inline(__always)
  init(_ upstreams: [AnySignal<Element, Failure>]) {
    self.upstreams = upstreams
  }

  /// Attaches a subscriber to all the signals, in the order in which they were given.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = MergeHub<Element, Failure>(inputs: upstreams.count)
    let subscription = hub.core.subscribe(subscriber)
    subscription.bind(hub.upstreams)
    if upstreams.isEmpty { hub.core.end(.finished) }
    for upstream in upstreams {
      hub.upstreams.add(upstream.subscribe(MergeInput(hub: hub)))
    }
    return subscription
  }
}

/// Where the inputs of one subscription to a merged signal meet.
@usableFromInline
final class MergeHub<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sound: `live` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()
  private var live: Int

  @usableFromInline
  init(inputs: Int) {
    live = inputs
  }

  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.run { [self] in
      live -= 1
      if case .finished = completion, live > 0 { return }
      core.finish(completion)
      upstreams.cancelAll()
    }
  }
}

@usableFromInline
@frozen
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
  var isDone: Bool { hub.upstreams.isCancelled || hub.core.isDone }
}
