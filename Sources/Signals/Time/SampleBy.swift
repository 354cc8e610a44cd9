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
  ) -> some Signal<Element, Failure> where Sampler.Failure == Failure {
    combined(with: sampler, SampleBy())
  }
}

@usableFromInline
struct SampleBy<First: Sendable, Second: Sendable, Failure: Error>: CombiningOperator {
  @usableFromInline typealias Output = First

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  func makeState() -> First? { nil }

  @inlinable @inline(__always)
  func receive(first value: First, _ hub: CombiningHub<Self>) {
    hub.state = value
  }

  @inlinable @inline(__always)
  func receive(second value: Second, _ hub: CombiningHub<Self>) {
    if let value = hub.state.take() { hub.core.deliver(value) }
  }

  @inlinable
  func receive(firstCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    hub.finish(completion, after: hub.state.take())
  }

  @inlinable
  func receive(secondCompletion completion: SignalCompletion<Failure>, _ hub: CombiningHub<Self>) {
    receive(firstCompletion: completion, hub)
  }
}
