extension Property {
  /// Creates a read-only view that keeps `owner` alive as long as the view, or a subscription to it, lives.
  ///
  /// The view does not keep what `property` keeps alive.
  package convenience init(_ property: Property<Value>, keeping owner: any AnyObject & Sendable) {
    self.init(core: property.core, source: KeepAlive(owner))
  }
}
