extension Property: CustomStringConvertible {
  /// The type and the value, as in "MutableProperty<Int>(5)".
  ///
  /// The value is formatted with `String(describing:)`. Printing never computes, subscribes or waits. A derived value
  /// that is not up to date prints "not computed", which is always the case without an observer. While a thread is
  /// inside ``MutableProperty/withLock(_:)``, the property prints "being changed".
  public var description: String {
    let content =
      switch core.content {
      case .value(let value): String(describing: value)
      case .notComputed: "not computed"
      case .lent: "being changed"
      }
    return "\(type(of: self))(\(content))"
  }
}

extension PropertyCore {
  /// The value, if it is known without computing or waiting.
  fileprivate enum Content {
    case value(Value)
    case notComputed
    case lent
  }

  fileprivate final var content: Content {
    lock.withLock {
      if isLent { return .lent }
      guard isDerived else { return stored.map { .value($0) } ?? .notComputed }
      // Sound: checked just before.
      let core = unsafeDowncast(self, to: DerivedCore<Value>.self)
      let computed = core.computed
      return core.state.pointee.isSettled ? computed.map { .value($0) } ?? .notComputed : .notComputed
    }
  }
}
