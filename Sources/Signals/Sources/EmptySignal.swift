/// A signal that ends at once, without a value.
///
/// Where a signal is expected as an argument, write `.empty()`.
@frozen
public struct EmptySignal<Element: Sendable, Failure: Error>: Signal {
  /// Makes a signal that ends at once.
  @inlinable @inline(__always)
  public init() {}

  /// Tells a subscriber of the end.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    if !subscriber.isDone { subscriber.receive(completion: .finished) }
    return .ended
  }
}

extension Signal {
  /// A signal that ends at once, without a value.
  ///
  /// - Returns: A signal of the element and failure that the context asks for.
  @inlinable @inline(__always)
  public static func empty<Value, Mistake>() -> Self where Self == EmptySignal<Value, Mistake> {
    EmptySignal()
  }
}
