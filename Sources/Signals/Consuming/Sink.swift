extension Signal where Failure == Never {
  /// Calls a closure with every value.
  ///
  /// The closure runs on the thread that sends, before the sender's call returns, unless another delivery is in
  /// progress. It never runs concurrently with itself.
  ///
  /// Keep the token: the subscription ends when its last reference is released. `_ = signal.sink { … }` releases it at
  /// once, so the closure receives at most the current value. Swift warns about an unused result, but not about `_ =`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let numbers = Emitter<Int, Never>()
  /// var subscriptions: Set<SignalSubscription> = []
  /// _ = numbers.sink { print("released at once:", $0) }
  /// numbers.sink { print("kept:", $0) }.store(in: &subscriptions)
  /// numbers.send(1)  // Prints "kept: 1"
  /// ```
  ///
  /// - Parameters:
  ///   - receiveValue: A closure that is called with each value.
  ///   - file: The file that ``SubscriptionTrace/place`` reports.
  ///   - line: The line that ``SubscriptionTrace/place`` reports.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  @inlinable @inline(__always)
  public func sink(
    _ receiveValue: @escaping @Sendable (Element) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> SignalSubscription {
    subscribe(ValueSink(receiveValue: receiveValue, place: CodePlace(file, line)))
  }
}

extension Signal {
  /// Calls one closure with every value, and another with the completion.
  ///
  /// Both closures run on the thread that sends, never concurrently.
  ///
  /// - Parameters:
  ///   - receiveCompletion: A closure that is called once, if the signal ends.
  ///   - receiveValue: A closure that is called with each value.
  ///   - file: The file that ``SubscriptionTrace/place`` reports.
  ///   - line: The line that ``SubscriptionTrace/place`` reports.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  @inlinable @inline(__always)
  public func sink(
    receiveCompletion: @escaping @Sendable (SignalCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Element) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> SignalSubscription {
    subscribe(
      CompletionSink(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue, place: CodePlace(file, line)))
  }
}

@usableFromInline
struct ValueSink<Element: Sendable>: SignalSubscriber {
  @usableFromInline let receiveValue: @Sendable (Element) -> Void
  @usableFromInline let place: CodePlace

  @inlinable @inline(__always)
  init(receiveValue: @escaping @Sendable (Element) -> Void, place: CodePlace) {
    (self.receiveValue, self.place) = (receiveValue, place)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    receiveValue(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Never>) {}
}

@usableFromInline
struct CompletionSink<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let receiveCompletion: @Sendable (SignalCompletion<Failure>) -> Void
  @usableFromInline let receiveValue: @Sendable (Element) -> Void
  @usableFromInline let place: CodePlace

  @inlinable @inline(__always)
  init(
    receiveCompletion: @escaping @Sendable (SignalCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Element) -> Void,
    place: CodePlace
  ) {
    (self.receiveCompletion, self.receiveValue, self.place) = (receiveCompletion, receiveValue, place)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    receiveValue(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    receiveCompletion(completion)
  }
}
