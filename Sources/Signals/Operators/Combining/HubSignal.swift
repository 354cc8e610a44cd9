/// A signal of which each subscription has a hub, the object at which its inputs meet.
@usableFromInline
struct HubSignal<Hub: InputHub>: Signal {
  @usableFromInline typealias Element = Hub.Output
  @usableFromInline typealias Failure = Hub.Failure

  /// A function that attaches the subscriber to a hub and then calls a function that attaches the inputs.
  @usableFromInline typealias Open = (_ hub: Hub, _ attach: () -> Void) -> SignalSubscription

  /// Creates a hub, and opens it with the function given.
  @usableFromInline let start: @Sendable (_ open: Open) -> SignalSubscription

  @inlinable @inline(__always)
  init(_ start: @escaping @Sendable (_ open: Open) -> SignalSubscription) {
    self.start = start
  }

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    start { hub, attach in
      let subscription = hub.open(for: subscriber)
      attach()
      return subscription
    }
  }
}
