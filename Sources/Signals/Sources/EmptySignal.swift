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
