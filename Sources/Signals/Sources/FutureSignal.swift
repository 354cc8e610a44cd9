/// A signal of what one asynchronous call returns, and then the end.
///
/// Each subscription makes the call anew, in a task of its own, which is cancelled with the subscription.
///
/// ```swift
/// import Signals
///
/// func capital(of country: String) async -> String { country == "France" ? "Paris" : "unknown" }
///
/// let answer = FutureSignal { await capital(of: "France") }
/// for await name in answer.values { print(name) }  // Prints "Paris"
/// ```
///
/// The value is sent from a thread of the task; what the call throws is the signal's failure. Where a signal is
/// expected as an argument, `.future(_:)` takes a function; a closure there must say that it is sendable,
/// `.future { @Sendable in … }`, because the compiler does not find out by itself.
@frozen
public struct FutureSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let operation: @Sendable () async throws(Failure) -> Element

  /// Makes a signal of what a closure returns.
  ///
  /// - Parameter operation: Called once for each subscription, on no actor unless it names one.
  @inlinable @inline(__always)
  public init(_ operation: @escaping @Sendable () async throws(Failure) -> Element) {
    self.operation = operation
  }

  /// Starts a task that makes the call for a subscriber.
  @inlinable
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let core = EmitterCore<Element, Failure>()
    let subscription = core.subscribe(subscriber)
    let task = Task { [operation] in
      do throws(Failure) {
        core.send(try await operation())
        core.end(.finished)
      } catch {
        core.end(.failure(error))
      }
    }
    subscription.bind(TaskOwner(task))
    return subscription
  }
}

extension Signal {
  /// A signal of what one asynchronous call returns, and then the end.
  ///
  /// - Parameter operation: Called once for each subscription, in a task that is cancelled with it.
  /// - Returns: A signal whose failure is what the call throws.
  @inlinable @inline(__always)
  public static func future<Value, Mistake>(
    _ operation: @escaping @Sendable () async throws(Mistake) -> Value
  ) -> Self where Self == FutureSignal<Value, Mistake> {
    FutureSignal(operation)
  }
}
