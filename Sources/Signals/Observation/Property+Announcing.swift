extension Property {
  /// Has Swift Observation told of a derived property's own changes, and not of each change of what it is derived from.
  ///
  /// That takes somebody who observes the property, so it is computed after every change for as long as the result
  /// lives, or anything that is derived from it. To be called once, before anybody else has the property.
  ///
  /// - Returns: The same property, observed.
  package func announcingItself() -> Property<Value> {
    guard let node = core.node else { return self }
    let announcer = MutableProperty(())
    node.announcer = announcer.core
    let subscription = sink { _ in announcer.value = () }
    return Property(core: core, source: KeepAlive(subscription))
  }
}
