extension Signal {
  /// Sends the latest value whenever another signal sends, unless that value has already been sent.
  ///
  /// When either signal finishes, a waiting value is sent, and then the result finishes. When either signal fails, the
  /// result fails at once, and a waiting value is dropped.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let position = Emitter<Int, Never>()
  /// let frame = Emitter<Void, Never>()
  /// let subscription = position.sample(by: frame).sink { print($0) }
  /// for place in 1...3 { position.send(place) }
  /// frame.send()  // Prints "3"
  /// frame.send()
  /// position.send(4)
  /// frame.send()  // Prints "4"
  /// ```
  ///
  /// Values are delivered on the thread on which the other signal sends, in order.
  ///
  /// - Parameter sampler: The signal that triggers a sample. Its values are ignored.
  /// - Returns: A signal of the samples.
  @inlinable @inline(__always)
  public func sample<Sampler: Signal>(
    by sampler: Sampler
  ) -> SampleBySignal<Self, Sampler> where Sampler.Failure == Failure {
    SampleBySignal(upstream: self, sampler: sampler)
  }
}

/// A signal of samples that another signal triggers; the result of ``Signal/sample(by:)``.
public struct SampleBySignal<Upstream: Signal, Sampler: Signal>: Signal where Upstream.Failure == Sampler.Failure {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of either signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let sampler: Sampler

  @inlinable @inline(__always)
  init(upstream: Upstream, sampler: Sampler) {
    self.upstream = upstream
    self.sampler = sampler
  }

  /// Attaches a subscriber to both signals, first to this one and then to the other.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = SampleByHub<Element, Failure>()
    let subscription = hub.open(for: subscriber)
    hub.attach(SampleByInput(hub: hub), to: upstream)
    hub.attach(SampleByTrigger<Sampler.Element, Element, Failure>(hub: hub), to: sampler)
    return subscription
  }
}

/// The object at which a signal meets the one that triggers samples.
@usableFromInline
final class SampleByHub<Element: Sendable, Failure: Error>: InputHub, @unchecked Sendable {
  // Sound: `pending` is only touched with the core's turn.
  @usableFromInline let core = EmitterCore<Element, Failure>()
  @usableFromInline let upstreams = Upstreams()

  /// The latest value, if it has not been sent.
  @exclusivity(unchecked) @usableFromInline var pending: Element?

  @usableFromInline
  init() {}

  @inlinable @inline(__always)
  func keep(_ value: Element) {
    core.withTurn { [self] in replace(value) }
  }

  @inlinable @inline(__always)
  func replace(_ value: Element) {
    if !core.hasEnded { pending = value }
  }

  @inlinable @inline(__always)
  func sample() {
    core.withTurn { [self] in flush() }
  }

  @inlinable @inline(__always)
  func flush() {
    if let value = pending.take() { core.deliver(value) }
  }

  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      if case .finished = completion { flush() }
      pending = nil
      finish(completion)
    }
  }
}

@usableFromInline
struct SampleByInput<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: SampleByHub<Element, Failure>

  @inlinable @inline(__always)
  init(hub: SampleByHub<Element, Failure>) {
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
struct SampleByTrigger<Element: Sendable, Sampled: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let hub: SampleByHub<Sampled, Failure>

  @inlinable @inline(__always)
  init(hub: SampleByHub<Sampled, Failure>) {
    self.hub = hub
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    hub.sample()
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    hub.end(completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { hub.isDone }
}
