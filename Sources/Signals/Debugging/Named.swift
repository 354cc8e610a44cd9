extension Signal {
  /// Gives the signal a name that appears in ``Emitter/subscriptions()`` and ``Property/subscriptions()``.
  ///
  /// The name changes nothing else, and costs nothing while values flow.
  ///
  /// - Parameter name: The name.
  /// - Returns: A signal that sends the same values.
  @inlinable @inline(__always)
  public func named(_ name: String) -> NamedSignal<Self> {
    NamedSignal(upstream: self, name: name)
  }
}

/// A signal with a name; the result of ``Signal/named(_:)``.
public struct NamedSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let name: String

  @inlinable @inline(__always)
  init(upstream: Upstream, name: String) {
    self.upstream = upstream
    self.name = name
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(NamedStage(downstream: subscriber, name: name))
  }
}

@usableFromInline
struct NamedStage<Downstream: SignalSubscriber>: PassThroughStage {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let name: String

  @inlinable @inline(__always)
  init(downstream: Downstream, name: String) {
    self.downstream = downstream
    self.name = name
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(value)
  }
}

extension NamedStage: NamedStep {
  var quotedName: String { "\"\(name)\"" }
}
