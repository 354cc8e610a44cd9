/// A signal that sends nothing and never ends.
///
/// It keeps nothing of its subscribers. Where a signal is expected as an argument, write `.never()`.
@frozen
public struct NeverSignal<Element: Sendable, Failure: Error>: Signal {
  /// Makes a signal that sends nothing.
  @inlinable @inline(__always)
  public init() {}

  /// Lets go of a subscriber at once, since there is nothing to tell it.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    .ended
  }
}

extension Signal {
  /// A signal that sends nothing and never ends.
  ///
  /// - Returns: A signal of the element and failure that the context asks for.
  @inlinable @inline(__always)
  public static func never<Value, Mistake>() -> Self where Self == NeverSignal<Value, Mistake> {
    NeverSignal()
  }
}
