/// What receives the values of a signal.
///
/// Operators implement it, applications seldom do. A subscriber is a small value type that holds the next one, so that the
/// compiler fuses a chain of operators into a single call. State that changes lives in a class instance that the subscriber
/// refers to; it needs no lock, because a source never calls one subscriber concurrently.
public protocol SignalSubscriber<Element, Failure>: Sendable {
  /// The values the subscriber takes.
  associatedtype Element: Sendable

  /// The error that can end the subscriber's signal.
  associatedtype Failure: Error

  /// Takes the next value.
  ///
  /// - Parameter value: The value; it comes after all values that its source sent before.
  func receive(_ value: Element)

  /// Takes the end of the signal, after which nothing follows.
  ///
  /// - Parameter completion: Whether the signal finished or failed.
  func receive(completion: SignalCompletion<Failure>)
}
