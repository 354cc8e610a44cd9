extension Signal {
  /// Replaces a failure with another signal.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct Offline: Error {}
  /// let fetched = FailSignal<String, Offline>(Offline())
  /// let subscription = fetched.catch { _ in JustSignal("from the cache") }.sink { print($0) }
  /// // Prints "from the cache"
  /// ```
  ///
  /// - Parameter handler: A closure that is called with the error, on the thread that sends it, and returns the signal
  ///   to continue with. The result fails only if that signal fails.
  /// - Returns: A signal of the values of this signal and, after a failure, of the other.
  @inlinable @inline(__always)
  public func `catch`<Replacement: Signal>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> some Signal<Element, Replacement.Failure> where Replacement.Element == Element {
    ContinuedSignal<Self, Replacement>(self) { completion, _ in
      switch completion {
      case .finished: .end(.finished)
      case .failure(let error): .signal(handler(error))
      }
    }
  }
}
