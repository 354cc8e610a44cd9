extension Property: CustomStringConvertible {
  /// The type and the value, as in "MutableProperty<Int>(5)".
  ///
  /// The value is formatted with `String(describing:)`. Printing never computes, subscribes or waits. A derived value
  /// that is not up to date prints "not computed", which is always the case without an observer. While a thread is
  /// inside ``MutableProperty/withLock(_:)``, the property prints "being changed".
  public var description: String {
    let (value, isLent) = core.known
    let content = value.map { String(describing: $0) } ?? (isLent ? "being changed" : "not computed")
    return "\(type(of: self))(\(content))"
  }
}

extension PropertyCore {
  /// The value, if it is known without computing or waiting.
  fileprivate final var known: (value: Value?, isLent: Bool) {
    lock.withLock {
      guard isDerived else { return (stored, isLent) }
      // Sound: checked just before.
      let core = unsafeDowncast(self, to: DerivedCore<Value>.self)
      return (core.state.pointee.isSettled ? core.computed : nil, false)
    }
  }
}
