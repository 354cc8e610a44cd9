/// An outbox whose caller returns only after everything has been delivered.
///
/// It works like an ``Outbox``, but ``deliver(_:)`` waits for a delivery on another thread. If this thread is
/// delivering further up the stack, the call delivers the rest itself.
package final class WaitingOutbox<Item: Sendable>: Sendable {
  private let outbox = Outbox<Item>()

  /// The lock that the delivering thread holds.
  private let turn = OwnedLock()

  /// Creates an empty outbox.
  package init() {}

  /// Adds an item, to be delivered after all earlier ones.
  package func add(_ item: Item) {
    outbox.add(item)
  }

  /// A Boolean value that indicates whether this thread has nothing to deliver and no delivery to wait for.
  package var isDelivered: Bool {
    // In this order: a thread that has taken the last items already holds the turn.
    if outbox.hasWaiting { return false }
    return turn.isHeldByThisThread ? !outbox.hasLoaded : !turn.isHeld
  }

  /// Delivers all items, or waits until another thread has delivered them.
  ///
  /// - Parameter body: A closure that is called with each item. No lock but the turn is held. It may add items, and may
  ///   call this method, which then delivers the rest.
  package func deliver(_ body: (Item) -> Void) {
    if turn.isHeldByThisThread { return outbox.deliverRest(body) }
    turn.withLock { _ = outbox.deliver(body) }
  }
}
