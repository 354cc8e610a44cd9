/// A signal that fails at once, without a value.
///
/// As an argument where a signal is expected, write `.fail(_:)`.
public struct FailSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let error: Failure

  /// Creates a signal that fails at once.
  ///
  /// - Parameter error: The error that each subscriber receives.
  @inlinable @inline(__always)
  public init(_ error: Failure) {
    self.error = error
  }

  /// Sends the error to a subscriber.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    if !subscriber.isDone { subscriber.receive(completion: .failure(error)) }
    return .ended
  }
}

extension Signal {
  /// Returns a signal that fails at once, without a value.
  ///
  /// - Parameter error: The error that each subscriber receives.
  /// - Returns: A signal whose element type is inferred from the context.
  @inlinable @inline(__always)
  public static func fail<Value, Mistake>(_ error: Mistake) -> Self where Self == FailSignal<Value, Mistake> {
    FailSignal(error)
  }
}
