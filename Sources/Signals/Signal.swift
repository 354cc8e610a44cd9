/// A stream of values over time, which can end by completing or with a typed error.
///
/// A signal does nothing until you subscribe to it. Subscribe with ``sink(_:file:line:)``, or iterate ``values`` with
/// `for await`. Shape the stream first with operators such as ``map(_:)`` and ``filter(_:)``. A signal whose `Failure`
/// is `Never` cannot fail; all signals of state are of that kind.
///
/// ```swift
/// import Signals
///
/// let numbers = Emitter<Int, Never>()
/// let subscription = numbers.map { $0 * 2 }.sink { print($0) }
/// numbers.send(21)  // Prints "42"
/// subscription.cancel()
/// ```
///
/// Every signal keeps the same promises:
///
/// - **Serial:** A subscriber is never called concurrently with itself.
/// - **Order:** All subscribers of a source receive the same values in the same order. A value that is sent during a
///   delivery is delivered after it.
/// - **Completion:** Nothing follows completion.
/// - **Cancellation:** After ``SignalSubscription/cancel()`` returns, the subscriber is not called again on the
///   cancelling thread.
///
/// <doc:/Docs/TheLaws> lists all promises, what they mean for operators, and the tests that verify them.
public protocol Signal<Element, Failure>: Sendable {
  /// The type of the values that the signal sends.
  associatedtype Element: Sendable

  /// The type of the error that can end the signal; `Never` if the signal cannot fail.
  associatedtype Failure: Error

  // The closures of consecutive `map`s become one, in `MapSignal`, the only type that declares these two. They are
  // requirements, because an overload of `map` would let the compiler try both for each `map` of a chain, which takes
  // seconds for ten of them. Without them, ten `map`s cost three times as much as one.
  // swift-format-ignore: NoLeadingUnderscores
  associatedtype _MapUpstream: Signal = Self where _MapUpstream.Failure == Failure
  // swift-format-ignore: NoLeadingUnderscores
  func _mapped<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<_MapUpstream, Output>

  /// Attaches a subscriber and returns the token that keeps it attached.
  ///
  /// Applications call ``sink(_:file:line:)`` instead. Implement this requirement to write a source or an operator. An
  /// operator wraps `subscriber` in a stage of its own, a value type, and subscribes that stage to its upstream signal.
  ///
  /// - Parameter subscriber: The subscriber. It receives the values in order, never concurrently, and then the
  ///   completion, if there is one.
  /// - Returns: A token that cancels the subscription when it is released.
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription
}

/// The way a signal ended.
@frozen
public enum SignalCompletion<Failure: Error>: Sendable {
  /// The signal completed normally.
  case finished

  /// The signal ended with an error.
  case failure(Failure)
}

extension SignalCompletion: Equatable where Failure: Equatable {}
extension SignalCompletion: Hashable where Failure: Hashable {}

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
  /// its downstream subscriber, or `true` once it has ended the signal itself. Once the answer is `true`, it stays so.
  /// A change of thread, such as `receive(on:)`, asks after each burst, and then cancels. The default implementation
  /// returns `false`.
  var isDone: Bool { get }
}

extension SignalSubscriber {
  /// A Boolean value that indicates whether the subscriber needs no more values; `false` by default.
  @inlinable @inline(__always)
  public var isDone: Bool { false }
}
