extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The elements as a signal that sends each as it comes, and ends as the sequence does.
  ///
  /// Each subscription iterates anew, in a task of its own; how several share the elements is up to the sequence, and
  /// `AsyncStream`, for one, gives each element to only one of them. The iterator is made inside the call that
  /// subscribes, so that nothing that the sequence offers from then on is missed. Elements are sent from a thread of
  /// the task.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let (lines, input) = AsyncStream<String>.makeStream()
  /// for line in ["one", "", "two"] { input.yield(line) }
  /// input.finish()
  /// for await line in lines.signal.filter({ !$0.isEmpty }).values { print(line) }
  /// // Prints "one"
  /// // Prints "two"
  /// ```
  @inlinable @inline(__always)
  public var signal: AsyncSequenceSignal<Self> { AsyncSequenceSignal(self) }
}

/// A signal of what an asynchronous sequence gives; made by ``_Concurrency/AsyncSequence/signal``.
///
/// Cancelling a subscription cancels its task, and so does an operator such as ``Signal/prefix(_:)`` once it has
/// enough.
@frozen
public struct AsyncSequenceSignal<Elements: AsyncSequence & Sendable>: Signal where Elements.Element: Sendable {
  /// The elements of the sequence.
  public typealias Element = Elements.Element

  /// The error of the sequence.
  public typealias Failure = Elements.Failure

  @usableFromInline let elements: Elements

  /// Makes a signal of a sequence's elements.
  ///
  /// - Parameter elements: What each subscription iterates.
  @inlinable @inline(__always)
  public init(_ elements: Elements) {
    self.elements = elements
  }

  /// Starts a task that iterates the sequence for a subscriber.
  @inlinable
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let core = EmitterCore<Element, Failure>()
    let subscription = core.subscribe(subscriber)
    var iterator = elements.makeAsyncIterator()
    let task = Task {
      do throws(Failure) {
        var isLast = false
        while let element = try await iterator.next(isolation: nil), !isLast {
          // Asked once more, so that the sequence notices; but it need not heed the cancellation.
          isLast = Task.isCancelled
          core.send(element)
        }
        core.end(.finished)
      } catch {
        core.end(.failure(error))
      }
    }
    subscription.bind(TaskOwner(task))
    return subscription
  }
}
