extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// A signal that sends the elements of the sequence as they arrive, and ends when the sequence ends.
  ///
  /// - **Subscriptions:** Each subscription iterates the sequence separately, in its own task. How several iterations
  ///   share the elements depends on the sequence. `AsyncStream`, for example, delivers each element to only one of
  ///   them.
  /// - **Timing:** The iterator is created before `subscribe(_:)` returns, so no later element is missed.
  /// - **Threads:** Elements are sent on the task's thread.
  /// - **Cancellation:** Cancelling a subscription cancels its task. An operator such as ``Signals/Signal/prefix(_:)``
  ///   also cancels it after its last value.
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
  public var signal: some Signal<Element, Failure> { AsyncSequenceSignal(self) }
}

@usableFromInline
struct AsyncSequenceSignal<Elements: AsyncSequence & Sendable>: Signal where Elements.Element: Sendable {
  @usableFromInline typealias Element = Elements.Element
  @usableFromInline typealias Failure = Elements.Failure

  @usableFromInline let elements: Elements

  @inlinable @inline(__always)
  init(_ elements: Elements) {
    self.elements = elements
  }

  /// Starts a task that iterates the sequence for a subscriber.
  @inlinable
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let core = EmitterCore<Element, Failure>()
    let subscription = core.subscribe(subscriber)
    var iterator = elements.makeAsyncIterator()
    let task = Task {
      do throws(Failure) {
        var isLast = false
        while let element = try await iterator.next(isolation: nil), !isLast {
          // Iterate once more after a cancellation, so that the sequence notices it; but the sequence may ignore it.
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
