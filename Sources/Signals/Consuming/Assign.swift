extension Signal where Failure == Never {
  /// Sets a property of an object to every value.
  ///
  /// The object is not kept alive; when it is gone, values are dropped. It is set on the thread that sends, so it must be an
  /// object that may be changed from any thread; for one of the main actor use ``sink(on:_:)-(MainActor,_)``.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let level = MutableProperty(1)
  /// let copy = MutableProperty(0)
  /// let subscription = level.assign(to: \.value, onWeak: copy)
  /// level.value = 2
  /// print(copy.value)  // Prints "2"
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The property to set.
  ///   - object: The object whose property it is.
  /// - Returns: The subscription; it ends when the token is cancelled or released.
  public func assign<Root: AnyObject & Sendable>(
    to keyPath: any ReferenceWritableKeyPath<Root, Element> & Sendable,
    onWeak object: Root
  ) -> SignalSubscription {
    sink { [weak object] value in object?[keyPath: keyPath] = value }
  }
}
