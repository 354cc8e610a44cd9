extension Signal where Element: Signal, Element.Failure == Failure {
  /// Sends the values of the latest inner signal.
  ///
  /// Each new inner signal cancels the previous one. After the switch, no value of the previous signal is delivered,
  /// not even one that another thread had already sent. The result finishes when this signal and the latest inner
  /// signal have finished, and fails as soon as one of them fails.
  ///
  /// - Returns: A signal of the values of the latest inner signal.
  @inlinable @inline(__always)
  public func switchToLatest() -> some Signal<Element.Element, Failure> {
    FlattenedSignal(self) { SwitchHub<Element>() }
  }
}

extension Signal {
  /// Transforms each value into a signal, and sends the values of the latest one.
  ///
  /// This method is equivalent to ``map(_:)`` followed by `switchToLatest()`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let celsius = MutableProperty(21)
  /// let fahrenheit = MutableProperty(70)
  /// let isMetric = MutableProperty(true)
  /// let shown = isMetric.flatMapLatest { $0 ? celsius : fahrenheit }
  /// let subscription = shown.sink { print($0) }  // Prints "21"
  /// isMetric.value = false  // Prints "70"
  /// celsius.value = 22
  /// fahrenheit.value = 72  // Prints "72"
  /// ```
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, and returns the
  ///   signal to switch to.
  /// - Returns: A signal of the values of the latest inner signal.
  @inlinable @inline(__always)
  public func flatMapLatest<Inner: Signal>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Failure> where Inner.Failure == Failure {
    map(transform).switchToLatest()
  }
}

extension Signal where Failure == Never, Element: Signal {
  /// Sends the values of the latest inner signal, if the inner signals can fail and this one cannot.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `switchToLatest()`.
  ///
  /// - Returns: A signal of the values of the latest inner signal.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func switchToLatest() -> some Signal<Element.Element, Element.Failure> {
    setFailureType(to: Element.Failure.self).switchToLatest()
  }
}

extension Signal where Failure == Never {
  /// Transforms each value of this signal, which cannot fail, into a signal that can, and sends the values of the
  /// latest one.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `flatMapLatest(_:)`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct Offline: Error {}
  /// let query = Emitter<String, Never>()
  /// let results = query.flatMapLatest { text in
  ///   text.isEmpty ? AnySignal<Int, Offline>.fail(Offline()) : .just(text.count)
  /// }
  /// let subscription = results.replaceError(with: 0).sink { print($0) }
  /// query.send("cat")  // Prints "3"
  /// query.send("")  // Prints "0"
  /// ```
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, and returns the
  ///   signal to switch to.
  /// - Returns: A signal of the values of the latest inner signal.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func flatMapLatest<Inner: Signal>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMapLatest(transform)
  }
}
