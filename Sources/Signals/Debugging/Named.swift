extension Signal {
  /// Gives the signal a name that appears in ``Emitter/subscriptions()`` and ``Property/subscriptions()``.
  ///
  /// The name changes nothing else, and costs nothing while values flow.
  ///
  /// - Parameter name: The name.
  /// - Returns: A signal that sends the same values.
  @inlinable @inline(__always)
  public func named(_ name: String) -> some Signal<Element, Failure> {
    OperatorSignal(self, Named(name))
  }
}

@usableFromInline
struct Named<Input: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let name: String

  @inlinable @inline(__always)
  init(_ name: String) {
    self.name = name
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    next.receive(value)
  }
}

extension Named: NamedStep {
  var quotedName: String { "\"\(name)\"" }
}
