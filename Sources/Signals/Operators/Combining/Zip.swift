extension Signal {
  /// Sends pairs of values: the first values of both signals, then the second values, and so on.
  ///
  /// A value waits until its partner arrives. The result finishes as soon as no further pair is possible, because one
  /// signal has finished and all its values have been paired. It fails as soon as one signal fails. The first signal
  /// may send all its values during the subscription, before the second is subscribed to. It must therefore not send an
  /// endless sequence at once.
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
  public func zip<Other: Signal>(_ other: Other) -> some Signal<(Element, Other.Element), Failure>
  where Other.Failure == Failure {
    ZipSignal(first: self, second: other)
  }
}

/// A signal of pairs of the values of two signals; the result of ``Signal/zip(_:)``.
@usableFromInline
struct ZipSignal<First: Signal, Second: Signal>: Signal where First.Failure == Second.Failure {
  /// One value of each signal.
  @usableFromInline typealias Element = (First.Element, Second.Element)

  /// The error of either signal.
  @usableFromInline typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable @inline(__always)
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  /// Attaches a subscriber to both signals, first to this one and then to the other.
  @inlinable @inline(__always)
  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
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
