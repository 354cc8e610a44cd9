extension Signal where Failure == Never {
  /// Makes a property of the signal: its last value, to be read at any time.
  ///
  /// The signal is subscribed to at once, and for as long as the property or a subscription to it lives.
  ///
  /// - Parameter initial: The value until the signal sends its first; a property sends its first at once.
  /// - Returns: A property that follows the signal.
  public func property(initial: Element) -> Property<Element> {
    let core = PropertyCore(initial)
    let subscription = subscribe(PropertyFeed(core: core))
    return Property(core: core, source: KeepAlive(subscription))
  }
}

/// Stores what it receives in a property.
private struct PropertyFeed<Value: Sendable>: SignalSubscriber {
  let core: PropertyCore<Value>

  func receive(_ value: Value) {
    core.set(value)
  }

  func receive(completion: SignalCompletion<Never>) {
    core.close()
  }
}
