/// A signal that finishes at once, without a value.
///
/// As an argument where a signal is expected, write `.empty()`.
public struct EmptySignal<Element: Sendable, Failure: Error>: Signal {
  /// Creates a signal that finishes at once.
  @inlinable @inline(__always)
  public init() {}

  /// Sends the completion to a subscriber.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    if !subscriber.isDone { subscriber.receive(completion: .finished) }
    return .ended
  }
}

extension Signal {
  /// Returns a signal that finishes at once, without a value.
  ///
  /// - Returns: A signal whose element and failure types are inferred from the context.
  @inlinable @inline(__always)
  public static func empty<Value, Mistake>() -> Self where Self == EmptySignal<Value, Mistake> {
    EmptySignal()
  }
}
