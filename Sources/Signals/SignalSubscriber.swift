/// What receives the values of a signal.
///
/// Operators implement it, applications seldom do. A subscriber is a small value type that holds the next one, so that
/// the compiler fuses a chain of operators into a single call. State that changes lives in a class instance that the
/// subscriber refers to; it needs no lock, because a source never calls one subscriber concurrently.
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

  /// Whether the subscriber takes no more values.
  ///
  /// A source that has many values to send in one go, such as a sequence, asks before each of them, because what it is
  /// attached to cannot be cancelled before it has returned a token. An operator passes on what its downstream says, or
  /// says `true` once it has ended the signal itself. Unless implemented it is `false`.
  var isDone: Bool { get }
}

extension SignalSubscriber {
  /// Whether the subscriber takes no more values: never, unless it says so.
  @inlinable @inline(__always)
  public var isDone: Bool { false }
}
