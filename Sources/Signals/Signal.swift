/// A stream of values over time that may end once, by finishing or by a typed failure.
///
/// A signal does nothing until it is observed. Observe it with ``sink(_:file:line:)``, or iterate ``values`` with
/// `for await`; shape it first with operators such as ``map(_:)`` and ``filter(_:)``. A signal whose `Failure` is
/// `Never` cannot fail; all state is of that kind.
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
/// Every signal keeps the same promises: a subscriber is never called concurrently with itself; all subscribers of a
/// source see the same values in the same order; a value sent while another is delivered goes out after it; nothing
/// follows completion; and after ``SignalSubscription/cancel()`` returns, the cancelling thread is never called again.
/// These and the others are <doc:/Docs/TheLaws>, with what they mean for operators and the tests that hold them.
public protocol Signal<Element, Failure>: Sendable {
  /// The values the signal sends.
  associatedtype Element: Sendable

  /// The error that can end the signal; `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// Applications call ``sink(_:file:line:)`` instead. Implement this requirement to write a source or an operator: an
  /// operator wraps `subscriber` in a stage of its own, a value type, and subscribes that to the signal it works on.
  ///
  /// - Parameter subscriber: Receives the values, in order, never concurrently, and then the completion if there is
  ///   one.
  /// - Returns: A token that cancels the subscription when it is released.
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(_ subscriber: Subscriber) -> SignalSubscription
}
