/// A signal that sends the result of one asynchronous call and finishes.
///
/// Each subscription makes its own call, in a task that is cancelled with the subscription.
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
/// The value is sent on the task's thread. If the call throws, the signal fails with that error. As an argument where a
/// signal is expected, write `.future(_:)` with a function. A closure must be marked there as sendable,
/// `.future { @Sendable in … }`, because the compiler does not infer it.
public struct FutureSignal<Element: Sendable, Failure: Error>: Signal {
  @usableFromInline let operation: @Sendable () async throws(Failure) -> Element

  /// Creates a signal of the result of a closure.
  ///
  /// - Parameter operation: A closure that is called once for each subscription, on no actor unless it specifies one.
  @inlinable @inline(__always)
  public init(_ operation: @escaping @Sendable () async throws(Failure) -> Element) {
    self.operation = operation
  }

  /// Starts a task that makes the call for a subscriber.
  @inlinable
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
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
  /// Returns a signal that sends the result of one asynchronous call and finishes.
  ///
  /// - Parameter operation: A function that is called once for each subscription, in a task that is cancelled with it.
  /// - Returns: A signal that fails with the error that the call throws.
  @inlinable @inline(__always)
  public static func future<Value, Mistake>(
    _ operation: @escaping @Sendable () async throws(Mistake) -> Value
  ) -> Self where Self == FutureSignal<Value, Mistake> {
    FutureSignal(operation)
  }
}

/// An owner of the task that serves one subscription and is cancelled with it.
@usableFromInline
final class TaskOwner: SubscriptionOwner, @unchecked Sendable {  // Sound: immutable.
  private let task: Task<Void, Never>

  @usableFromInline
  init(_ task: Task<Void, Never>) {
    self.task = task
  }

  package override func cancel(_ subscription: SignalSubscription) {
    task.cancel()
  }
}
