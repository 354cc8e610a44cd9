extension Signal where Failure == Never {
  /// Creates a property that holds the last value of the signal.
  ///
  /// The property subscribes to the signal at once, and stays subscribed as long as the property or a subscription to
  /// it lives.
  ///
  /// - Parameter initial: The value until the signal sends its first one. If the signal is itself a property, that
  ///   happens at once.
  /// - Returns: A property that follows the signal.
  public func property(initial: Element) -> Property<Element> {
    let core = PropertyCore(initial)
    let subscription = subscribe(PropertyFeed(core: core))
    return Property(core: core, source: KeepAlive(subscription))
  }
}

/// A subscriber that stores every value in a property.
private struct PropertyFeed<Value: Sendable>: SignalSubscriber {
  let core: PropertyCore<Value>

  func receive(_ value: Value) {
    core.set(value)
  }

  func receive(completion: SignalCompletion<Never>) {
    core.close()
  }
}
