extension Signal {
  /// Erases the signal's type, keeping only its element and failure types.
  ///
  /// Use this method to store signals of different types in one place. Where a function can return
  /// `some Signal<Element, Failure>`, that is faster.
  ///
  /// - Returns: A signal that sends the same values.
  @inlinable @inline(__always)
  public func eraseToAnySignal() -> AnySignal<Element, Failure> {
    AnySignal(self)
  }
}

/// A type-erased signal.
public struct AnySignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let attach: @Sendable (ErasedSubscriber<Element, Failure>) -> SignalSubscription

  /// Creates a signal that sends the same values as another one.
  ///
  /// - Parameter signal: The signal whose type is erased.
  @inlinable @inline(__always)
  public init(_ signal: some Signal<Element, Failure>) {
    attach = { signal.subscribe($0) }
  }

  /// Attaches a subscriber to the underlying signal.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    attach(ErasedSubscriber(subscriber))
  }
}
