extension Signal {
  /// The values as an asynchronous sequence that loses none.
  ///
  /// Each `for await` loop is a subscription of its own, from the moment the loop begins until it ends or its task is
  /// cancelled. The loop stays on its caller's actor. A property's loop gets the current value first.
  ///
  /// Values that arrive while the loop is busy wait for it in memory. If only the latest one matters, as in a user
  /// interface that shows a property, say so: ``values(buffering:)`` with ``SignalBuffering/newest(_:)`` of 1.
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

  /// The values as an asynchronous sequence.
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
  /// - Parameter buffering: What to keep while the loop is busy; this is the only way in which values are lost.
  /// - Returns: A sequence; each loop over it is a subscription of its own.
  @inlinable
  public func values(buffering: SignalBuffering) -> SignalValues<Self> {
    SignalValues(signal: self, buffering: buffering)
  }

  /// Waits for the next value; a property's is its current one.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let count = await MutableProperty(3).firstValue()
  /// print(count ?? 0)  // Prints "3"
  /// ```
  ///
  /// - Returns: The value, or `nil` if the signal finishes first or the task is cancelled.
  /// - Throws: The signal's failure.
  public func firstValue() async throws(Failure) -> Element? {
    var iterator = prefix(1).values(buffering: .oldest(1)).makeAsyncIterator()
    return try await iterator.next(isolation: #isolation)
  }
}

/// The values of a signal as an asynchronous sequence; made by ``Signal/values``.
///
/// Its buffering policy is the only way in which a loop loses values: law 9 of <doc:/Docs/TheLaws>.
public struct SignalValues<Base: Signal>: AsyncSequence, Sendable {
  /// The values of the signal.
  public typealias Element = Base.Element

  /// The error of the signal.
  public typealias Failure = Base.Failure

  @usableFromInline let signal: Base
  @usableFromInline let buffering: SignalBuffering

  @inlinable
  init(signal: Base, buffering: SignalBuffering) {
    self.signal = signal
    self.buffering = buffering
  }

  /// Subscribes to the signal: what it sends from now on is buffered until asked for.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(ValueCursor(signal, buffering: buffering))
  }

  /// Gives the values one by one.
  ///
  /// It holds the subscription, which ends with it, with the signal, or with the task that waits in it.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let cursor: ValueCursor<Element, Failure>

    @inlinable
    init(_ cursor: ValueCursor<Element, Failure>) {
      self.cursor = cursor
    }

    /// How many values the buffering policy has dropped so far.
    public var droppedCount: Int { cursor.channel.droppedCount }

    /// Waits for the next value.
    ///
    /// - Parameter actor: The actor to stay on.
    /// - Returns: The value, or `nil` after the signal finished or the task was cancelled.
    /// - Throws: The signal's failure, after all values before it.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure) -> Element? {
      if let value = cursor.popLocal() { return value }
      return try await cursor.refill(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension SignalValues.Iterator: Sendable {}
