public import Dispatch

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

extension Signal where Failure == Never {
  /// Calls a closure with every value, on a dispatch queue, in order.
  ///
  /// - Parameters:
  ///   - queue: The queue on which the closure runs. Values that arrive while it is busy are delivered together.
  ///   - receiveValue: A closure that is called with each value, never concurrently with itself.
  ///   - file: The file that ``SubscriptionTrace/place`` reports.
  ///   - line: The line that ``SubscriptionTrace/place`` reports.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  public func sink(
    on queue: DispatchQueue,
    _ receiveValue: @escaping @Sendable (Element) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> SignalSubscription {
    receive(on: queue).sink(receiveValue, file: file, line: line)
  }

  /// Calls a closure with every value, on the main actor, in order.
  ///
  /// - Complexity: A value costs no allocation. Each hop to the actor costs the few allocations of a task and delivers
  ///   all waiting values.
  ///
  /// ```swift
  /// import Signals
  ///
  /// @MainActor final class Label {
  ///   var text = ""
  ///   private var subscription: SignalSubscription?
  ///
  ///   func show(_ title: MutableProperty<String>) {
  ///     subscription = title.sink(on: MainActor.shared) { [weak self] in self?.text = $0 }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: `MainActor.shared`.
  ///   - receiveValue: A closure that is called with each value. Values that arrive while the main actor is busy are
  ///     delivered together.
  ///   - file: The file that ``SubscriptionTrace/place`` reports.
  ///   - line: The line that ``SubscriptionTrace/place`` reports.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  public func sink(
    on actor: MainActor,
    _ receiveValue: @escaping @MainActor @Sendable (Element) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> SignalSubscription {
    // Sound: isolation does not change a function's calling convention. `assumeIsolated` relies on the same fact, but
    // allocates for each value. `receive(on:)` delivers on the actor only.
    receive(on: actor).sink(
      unsafeBitCast(receiveValue, to: (@Sendable (Element) -> Void).self), file: file, line: line)
  }

  /// Calls a closure with every value, on an actor and with access to its state, in order.
  ///
  /// The actor is not kept alive. After it has been released, the closure is not called any more.
  ///
  /// - Complexity: A value costs no allocation. Each hop to the actor costs the few allocations of a task and delivers
  ///   all waiting values.
  ///
  /// - Parameters:
  ///   - actor: The actor on which the closure runs. Values that arrive while it is busy are delivered together.
  ///   - receiveValue: A closure that is called with the actor and each value.
  ///   - file: The file that ``SubscriptionTrace/place`` reports.
  ///   - line: The line that ``SubscriptionTrace/place`` reports.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  public func sink<Isolation: Actor>(
    on actor: Isolation,
    _ receiveValue: @escaping @Sendable (isolated Isolation, Element) -> Void,
    file: StaticString = #fileID, line: UInt = #line
  ) -> SignalSubscription {
    // Sound: isolation does not change a function's calling convention. `receive(on:)` delivers on the actor only, in a
    // task that owns a reference to the actor until the delivery has returned.
    let receiveValue = unsafeBitCast(receiveValue, to: (@Sendable (Isolation, Element) -> Void).self)
    let reference = Unmanaged.passUnretained(actor)
    return receive(on: actor).sink(
      { value in reference._withUnsafeGuaranteedRef { receiveValue($0, value) } }, file: file, line: line)
  }
}
