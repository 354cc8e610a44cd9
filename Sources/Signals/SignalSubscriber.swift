/// A type that receives the values of a signal.
///
/// Operators implement this protocol; applications rarely do. A subscriber is a small value type that holds the next
/// subscriber, so the compiler fuses a chain of operators into a single call. Mutable state belongs in a class instance
/// that the subscriber refers to. It needs no lock, because a source never calls one subscriber concurrently.
public protocol SignalSubscriber<Element, Failure>: Sendable {
  /// The type of the values that the subscriber receives.
  associatedtype Element: Sendable

  /// The type of the error that can end the signal.
  associatedtype Failure: Error

  /// Receives the next value.
  ///
  /// - Parameter value: The value. It comes after all values that its source sent before.
  func receive(_ value: Element)

  /// Receives the completion of the signal, after which nothing follows.
  ///
  /// - Parameter completion: The way the signal ended: finished, or with an error.
  func receive(completion: SignalCompletion<Failure>)

  /// A Boolean value that indicates whether the subscriber needs no more values.
  ///
  /// A source that sends many values at once, such as a sequence, checks this property before each of them. Its
  /// subscription cannot be cancelled before `subscribe(_:)` has returned the token. An operator returns the answer of
  /// its downstream subscriber, or `true` once it has ended the signal itself. The default implementation returns
  /// `false`.
  var isDone: Bool { get }
}

extension SignalSubscriber {
  /// A Boolean value that indicates whether the subscriber needs no more values; `false` by default.
  @inlinable @inline(__always)
  public var isDone: Bool { false }
}
