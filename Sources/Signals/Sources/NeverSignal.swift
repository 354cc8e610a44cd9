/// A signal that sends nothing and never ends.
///
/// It does not retain its subscribers. As an argument where a signal is expected, write `.never()`.
public struct NeverSignal<Element: Sendable, Failure: Error>: Signal {
  /// Creates a signal that sends nothing.
  @inlinable @inline(__always)
  public init() {}

  /// Releases the subscriber at once, since it never receives anything.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    .ended
  }
}

extension Signal {
  /// Returns a signal that sends nothing and never ends.
  ///
  /// - Returns: A signal whose element and failure types are inferred from the context.
  @inlinable @inline(__always)
  public static func never<Value, Mistake>() -> Self where Self == NeverSignal<Value, Mistake> {
    NeverSignal()
  }
}
