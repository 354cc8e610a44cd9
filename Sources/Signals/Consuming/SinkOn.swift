public import Dispatch

extension Signal where Failure == Never {
  /// Calls a closure with every value, on a dispatch queue, in order.
  ///
  /// - Parameters:
  ///   - queue: Where the closure runs; values that come while it is busy are delivered together.
  ///   - receiveValue: Called with each value, never concurrently with itself.
  /// - Returns: The subscription; it ends when the token is cancelled or released.
  public func sink(
    on queue: DispatchQueue,
    _ receiveValue: @escaping @Sendable (Element) -> Void
  ) -> SignalSubscription {
    receive(on: queue).sink(receiveValue)
  }

  /// Calls a closure with every value, on the main actor, in order.
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
  ///   - receiveValue: Called with each value; values that come while the main actor is busy are delivered together.
  /// - Returns: The subscription; it ends when the token is cancelled or released.
  public func sink(
    on actor: MainActor,
    _ receiveValue: @escaping @MainActor @Sendable (Element) -> Void
  ) -> SignalSubscription {
    receive(on: actor).sink { value in MainActor.assumeIsolated { receiveValue(value) } }
  }

  /// Calls a closure with every value, on an actor and with access to its state, in order.
  ///
  /// The actor is not kept alive: when it is gone, the closure is not called any more.
  ///
  /// - Parameters:
  ///   - actor: Where the closure runs; values that come while it is busy are delivered together.
  ///   - receiveValue: Called with the actor and each value.
  /// - Returns: The subscription; it ends when the token is cancelled or released.
  public func sink<Isolation: Actor>(
    on actor: Isolation,
    _ receiveValue: @escaping @Sendable (isolated Isolation, Element) -> Void
  ) -> SignalSubscription {
    receive(on: actor).sink { [weak actor] value in
      actor?.assumeIsolated { receiveValue($0, value) }
    }
  }
}
