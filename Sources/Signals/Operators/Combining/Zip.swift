extension Signal {
  /// Sends pairs of values: the first of this signal with the first of another, the second with the second, and so on.
  ///
  /// A value waits until its partner comes. The result finishes as soon as no further pair can come, because a signal
  /// has finished and all its values have been paired; it fails as soon as one signal fails. Subscribing to the first
  /// signal may already send all that it has, so that must not be endless.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let requests = Emitter<String, Never>()
  /// let answers = Emitter<Int, Never>()
  /// let subscription = requests.zip(answers).sink { print($0, $1) }
  /// requests.send("a")
  /// requests.send("b")
  /// answers.send(1)  // Prints "a 1"
  /// answers.send(2)  // Prints "b 2"
  /// ```
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func zip<Other: Signal>(_ other: Other) -> ZipSignal<Self, Other> where Other.Failure == Failure {
    ZipSignal(first: self, second: other)
  }
}

/// A signal of pairs of the values of two; made by ``Signal/zip(_:)``.
@frozen
public struct ZipSignal<First: Signal, Second: Signal>: Signal where First.Failure == Second.Failure {
  /// One value of each signal.
  public typealias Element = (First.Element, Second.Element)

  /// The error of either signal.
  public typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable @inline(__always)
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  /// Attaches a subscriber to both signals, the first one first.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let firstQueue = ZipQueue<First.Element>()
    let secondQueue = ZipQueue<Second.Element>()
    let hub = ZipHub<Element, Failure>(
      next: {
        if firstQueue.isEmpty || secondQueue.isEmpty { return nil }
        return (firstQueue.next(), secondQueue.next())
      },
      isExhausted: { firstQueue.isExhausted || secondQueue.isExhausted }
    )
    let subscription = hub.open(for: subscriber)
    hub.attach(ZipInput(hub: hub, queue: firstQueue), to: first)
    hub.attach(ZipInput(hub: hub, queue: secondQueue), to: second)
    return subscription
  }
}
