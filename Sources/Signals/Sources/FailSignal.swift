/// A signal that fails at once, without a value.
///
/// Where a signal is expected as an argument, write `.fail(_:)`.
@frozen
public struct FailSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let error: Failure

  /// Makes a signal that fails at once.
  ///
  /// - Parameter error: The failure that each subscriber gets.
  @inlinable @inline(__always)
  public init(_ error: Failure) {
    self.error = error
  }

  /// Tells a subscriber of the failure.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    if !subscriber.isDone { subscriber.receive(completion: .failure(error)) }
    return .ended
  }
}

extension Signal {
  /// A signal that fails at once, without a value.
  ///
  /// - Parameter error: The failure that each subscriber gets.
  /// - Returns: A signal of the element that the context asks for.
  @inlinable @inline(__always)
  public static func fail<Value, Mistake>(_ error: Mistake) -> Self where Self == FailSignal<Value, Mistake> {
    FailSignal(error)
  }
}
