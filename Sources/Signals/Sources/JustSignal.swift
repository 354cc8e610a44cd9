/// A signal of one value, and then the end.
///
/// Each subscriber gets both inside the call that subscribes. Where a signal is expected as an argument, write
/// `.just(_:)`.
///
/// ```swift
/// import Signals
///
/// let subscription = JustSignal(42).sink { print($0) }  // Prints "42"
/// ```
@frozen
public struct JustSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let value: Element

  /// Makes a signal of one value that cannot fail.
  ///
  /// - Parameter value: The value that each subscriber gets.
  @inlinable @inline(__always)
  public init(_ value: Element) where Failure == Never {
    self.value = value
  }

  /// Makes a signal of one value, of the failure that the context asks for.
  ///
  /// - Parameter value: The value that each subscriber gets.
  @inlinable @inline(__always)
  public init(_ value: Element) {
    self.value = value
  }

  /// Gives a subscriber the value and the end.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    if !subscriber.isDone { subscriber.receive(value) }
    if !subscriber.isDone { subscriber.receive(completion: .finished) }
    return .ended
  }
}

extension Signal {
  /// A signal of one value, and then the end.
  ///
  /// - Parameter value: The value that each subscriber gets.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public static func just<Value>(_ value: Value) -> Self where Self == JustSignal<Value, Never> {
    JustSignal(value)
  }

  /// A signal of one value, and then the end.
  ///
  /// - Parameter value: The value that each subscriber gets.
  /// - Returns: A signal of the failure that the context asks for.
  @inlinable @inline(__always)
  public static func just<Value, Mistake>(_ value: Value) -> Self where Self == JustSignal<Value, Mistake> {
    JustSignal(value)
  }
}
