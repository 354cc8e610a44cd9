extension Signal {
  /// Sends a pair of the latest values of this signal and another whenever either of them sends.
  ///
  /// The first pair is sent once both signals have sent a value.
  ///
  /// The result finishes when both signals have finished, or as soon as one finishes without having sent a value. It
  /// fails as soon as one of them fails.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let width = MutableProperty(2)
  /// let height = MutableProperty(3)
  /// let subscription = width.combineLatest(height).map { $0 * $1 }.sink { print("area", $0) }  // Prints "area 6"
  /// height.value = 5  // Prints "area 10"
  /// ```
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func combineLatest<Other: Signal>(_ other: Other) -> some Signal<(Element, Other.Element), Failure>
  where Other.Failure == Failure {
    CombineLatestSignal(first: self, second: other)
  }
}

/// A signal of pairs of the latest values of two signals; the result of ``Signal/combineLatest(_:)``.
@usableFromInline
struct CombineLatestSignal<First: Signal, Second: Signal>: Signal where First.Failure == Second.Failure {
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
    let firstLatest = LatestValue<First.Element>()
    let secondLatest = LatestValue<Second.Element>()
    let hub = CombineLatestHub<Element, Failure>(inputs: 2) {
      guard let first = firstLatest.value, let second = secondLatest.value else { return nil }
      return (first, second)
    }
    let subscription = hub.open(for: subscriber)
    hub.attach(CombineLatestInput(hub: hub, latest: firstLatest), to: first)
    hub.attach(CombineLatestInput(hub: hub, latest: secondLatest), to: second)
    return subscription
  }
}
