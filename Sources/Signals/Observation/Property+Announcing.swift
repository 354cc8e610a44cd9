extension Property {
  /// Returns the property after making it announce its own changes to Swift Observation, instead of each change of its
  /// inputs.
  ///
  /// This requires an observer, so the property is computed after every change as long as the result, or a property
  /// derived from it, lives. Call this once, before the property is shared.
  ///
  /// - Returns: The same property, observed.
  package func announcingItself() -> Property<Value> {
    guard let node = core.derivation else { return self }
    let announcer = MutableProperty(())
    node.announcer = announcer.core
    let subscription = sink { _ in announcer.value = () }
    return Property(core: core, source: KeepAlive(subscription))
  }
}
