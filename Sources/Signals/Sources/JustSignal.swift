/// A signal that sends one value and finishes.
///
/// Each subscriber receives both before `subscribe(_:)` returns. As an argument where a signal is expected, write
/// `.just(_:)`.
///
/// ```swift
/// import Signals
///
/// let subscription = JustSignal(42).sink { print($0) }  // Prints "42"
/// ```
public struct JustSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let value: Element

  /// Creates a signal of one value that cannot fail.
  ///
  /// - Parameter value: The value that each subscriber receives.
  @inlinable @inline(__always)
  public init(_ value: Element) where Failure == Never {
    self.value = value
  }

  /// Creates a signal of one value, with a failure type that is inferred from the context.
  ///
  /// - Parameter value: The value that each subscriber receives.
  @inlinable @inline(__always)
  public init(_ value: Element) {
    self.value = value
  }

  /// Sends the value and the completion to a subscriber.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    if !subscriber.isDone { subscriber.receive(value) }
    if !subscriber.isDone { subscriber.receive(completion: .finished) }
    return .ended
  }
}

extension Signal {
  /// Returns a signal that sends one value and finishes.
  ///
  /// - Parameter value: The value that each subscriber receives.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public static func just<Value>(_ value: Value) -> Self where Self == JustSignal<Value, Never> {
    JustSignal(value)
  }

  /// Returns a signal that sends one value and finishes.
  ///
  /// - Parameter value: The value that each subscriber receives.
  /// - Returns: A signal whose failure type is inferred from the context.
  @inlinable @inline(__always)
  public static func just<Value, Mistake>(_ value: Value) -> Self where Self == JustSignal<Value, Mistake> {
    JustSignal(value)
  }
}
