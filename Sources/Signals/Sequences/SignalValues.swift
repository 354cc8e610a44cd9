extension Signal {
  /// An asynchronous sequence of all values.
  ///
  /// Each `for await` loop is a subscription of its own, from the beginning of the loop until it ends or its task is
  /// cancelled. The loop stays on its caller's actor. A loop over a property receives the current value first.
  ///
  /// Values that arrive while the loop is busy wait in memory. If only the latest value matters, as in a user interface
  /// that shows a property, use ``values(buffering:)`` with ``SignalBuffering/newest(_:)`` of 1.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let numbers = Emitter<Int, Never>(replay: 2)
  /// numbers.send(1)
  /// numbers.send(2)
  /// numbers.finish()
  /// for await number in numbers.values { print(number) }
  /// // Prints "1"
  /// // Prints "2"
  /// ```
  @inlinable
  public var values: SignalValues<Self> {
    SignalValues(signal: self, buffering: .unbounded)
  }

  /// Returns an asynchronous sequence of the values, with a buffering policy.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let position = MutableProperty(0)
  /// @MainActor func skipToTheLatest() async {
  ///   var positions = position.values(buffering: .newest(1)).makeAsyncIterator()
  ///   for step in 1...100 { position.value = step }
  ///   print(await positions.next() ?? 0)
  /// }
  /// await skipToTheLatest()  // Prints "100"
  /// ```
  ///
  /// - Parameter buffering: The values to keep while the loop is busy. Only this policy can drop values.
  /// - Returns: An asynchronous sequence. Each loop over it is a subscription of its own.
  @inlinable
  public func values(buffering: SignalBuffering) -> SignalValues<Self> {
    SignalValues(signal: self, buffering: buffering)
  }

  /// Waits for the next value.
  ///
  /// For a property, that is the current value.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let count = await MutableProperty(3).firstValue()
  /// print(count ?? 0)  // Prints "3"
  /// ```
  ///
  /// - Returns: The value, or `nil` if the signal finishes first or the task is cancelled.
  /// - Throws: The error that ends the signal.
  public func firstValue() async throws(Failure) -> Element? {
    var iterator = prefix(1).values(buffering: .oldest(1)).makeAsyncIterator()
    return try await iterator.next(isolation: #isolation)
  }
}

/// An asynchronous sequence of the values of a signal; the result of ``Signal/values``.
///
/// Only the buffering policy can drop values; see law 9 of <doc:/Docs/TheLaws>.
public struct SignalValues<Base: Signal>: AsyncSequence, Sendable {
  /// The values of the signal.
  public typealias Element = Base.Element

  /// The error of the signal.
  public typealias Failure = Base.Failure

  @usableFromInline let signal: Base
  @usableFromInline let buffering: SignalBuffering

  @inlinable
  init(signal: Base, buffering: SignalBuffering) {
    (self.signal, self.buffering) = (signal, buffering)
  }

  /// Subscribes to the signal.
  ///
  /// Its values are buffered until the iterator requests them.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(ValueCursor(signal, buffering: buffering))
  }

  /// An iterator that returns the values one by one.
  ///
  /// The iterator holds the subscription, which ends with the iterator, the signal, or the task that waits for a value.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let cursor: ValueCursor<Element, Failure>

    @inlinable
    init(_ cursor: ValueCursor<Element, Failure>) {
      self.cursor = cursor
    }

    /// The number of values that the buffering policy has dropped.
    public var droppedCount: Int { cursor.channel.droppedCount }

    /// Waits for the next value.
    ///
    /// - Parameter actor: The actor to stay on.
    /// - Returns: The value, or `nil` after the signal has finished or the task has been cancelled.
    /// - Throws: The error that ends the signal, after all values that preceded it.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure) -> Element? {
      if let value = cursor.popLocal() { return value }
      return try await cursor.refill(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension SignalValues.Iterator: Sendable {}

/// A policy for the values that arrive while an asynchronous loop is busy.
@nonexhaustive
public enum SignalBuffering: Sendable, Hashable {
  /// Keeps every value.
  ///
  /// Memory grows while the loop falls behind.
  case unbounded

  /// Keeps at most this many of the newest values, and drops older ones.
  ///
  /// A number below 1 counts as 1.
  case newest(Int)

  /// Keeps at most this many of the oldest values, and drops later ones while the buffer is full.
  ///
  /// A number below 1 counts as 1.
  case oldest(Int)
}
