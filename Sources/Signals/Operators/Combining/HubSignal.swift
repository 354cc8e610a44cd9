/// A signal of which each subscription has a hub, the object at which its inputs meet.
@usableFromInline
struct HubSignal<Hub: InputHub>: Signal {
  @usableFromInline typealias Element = Hub.Output
  @usableFromInline typealias Failure = Hub.Failure

  /// Creates a hub, and returns it with a function that attaches its inputs.
  @usableFromInline let start: @Sendable () -> (hub: Hub, attach: () -> Void)

  @inlinable @inline(__always)
  init(_ start: @escaping @Sendable () -> (hub: Hub, attach: () -> Void)) {
    self.start = start
  }

  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let (hub, attach) = start()
    let subscription = hub.open(for: subscriber)
    attach()
    return subscription
  }
}
