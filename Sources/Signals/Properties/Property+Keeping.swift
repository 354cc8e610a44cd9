extension Property {
  /// Creates a read-only view that keeps `owner` alive as long as the view, or a subscription to it, lives.
  package convenience init(_ property: MutableProperty<Value>, keeping owner: any AnyObject & Sendable) {
    self.init(core: property.core, source: KeepAlive(owner))
  }
}
