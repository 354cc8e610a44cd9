extension Signal {
  /// Hides the signal's type, keeping only what it sends and how it can fail.
  ///
  /// Use it to store signals of different kinds in one place. Where a function can say `some Signal<Element, Failure>`,
  /// that is faster.
  ///
  /// - Returns: A signal that sends the same values.
  @inlinable @inline(__always)
  public func eraseToAnySignal() -> AnySignal<Element, Failure> {
    AnySignal(self)
  }
}

/// A signal whose type is hidden.
public struct AnySignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let attach: @Sendable (ErasedSubscriber<Element, Failure>) -> SignalSubscription

  /// Makes a signal from what attaches a subscriber to it.
  @inlinable @inline(__always)
  init(attach: @escaping @Sendable (ErasedSubscriber<Element, Failure>) -> SignalSubscription) {
    self.attach = attach
  }

  /// Makes a signal that sends what another one does.
  ///
  /// - Parameter signal: The signal whose type to hide.
  @inlinable @inline(__always)
  public init(_ signal: some Signal<Element, Failure>) {
    attach = { signal.subscribe($0) }
  }

  /// Attaches a subscriber to the hidden signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    attach(ErasedSubscriber(subscriber))
  }
}
