/// A queue that many threads fill and one thread at a time delivers, in order and with no lock held.
///
/// Add items while you hold the lock that decides their order, and call ``deliver(_:)`` once you have released it:
///
/// ```
/// lock.withLock {
///   number += 1
///   outbox.add(number)
/// }
/// outbox.deliver { emitter.send($0) }
/// ```
///
/// - **Order:** Items are delivered in the order of the calls of ``add(_:)``.
/// - **Threads:** One thread at a time has the turn to deliver. A call that finds the turn taken, by another thread or
///   by this thread further up the stack, returns at once. The holder of the turn then delivers its items, too.
/// - **Memory:** The queue and the batch exchange two buffers, so nothing is allocated in the steady state.
@usableFromInline
package final class Outbox<Item: Sendable>: @unchecked Sendable {
  // Sound: the lock guards the queue and `isTaken`; the batch belongs to the holder of the turn.

  @usableFromInline let lock = Lock()

  /// The items that are not in a batch yet.
  @exclusivity(unchecked) @usableFromInline var queue: [Item] = []

  /// A Boolean value that indicates whether the turn is taken.
  @exclusivity(unchecked) @usableFromInline var isTaken = false

  /// The items that are being delivered.
  @exclusivity(unchecked) @usableFromInline var batch: [Item] = []

  /// The index of the next item in the batch.
  @exclusivity(unchecked) @usableFromInline var next = 0

  /// Creates an empty outbox.
  @inlinable @inline(__always)
  package init() {}

  // MARK: Adding

  /// Adds an item, to be delivered after all earlier ones.
  @inlinable @inline(__always)
  package func add(_ item: Item) {
    lock.lock()
    queue.append(item)
    lock.unlock()
  }

  /// Adds items, to be delivered after all earlier ones.
  @inlinable
  package func add(contentsOf items: some Collection<Item>) {
    lock.withLock { queue.append(contentsOf: items) }
  }

  /// Adds an item, and takes the turn if it is free.
  ///
  /// - Returns: `true` if the caller has the turn now. It must then call ``deliverBatch(_:)`` until that returns
  ///   `false`, on any thread.
  @inlinable @inline(__always)
  package func addTakingTurn(_ item: Item) -> Bool {
    lock.lock()
    queue.append(item)
    let isFree = !isTaken
    isTaken = true
    lock.unlock()
    return isFree
  }

  // MARK: Delivering

  /// Delivers all items, including any that are added during the call.
  ///
  /// If a delivery is in progress, the call returns at once, and that delivery delivers the items.
  ///
  /// - Parameter body: A closure that is called with each item. No lock is held, and it may add items.
  /// - Returns: `false` if the items were left to a delivery that is in progress.
  @inlinable @discardableResult
  package func deliver(_ body: (Item) -> Void) -> Bool {
    lock.lock()
    if isTaken {
      lock.unlock()
      return false
    }
    guard !queue.isEmpty else {
      lock.unlock()
      return true
    }
    isTaken = true
    swap(&queue, &batch)
    lock.unlock()
    repeat { deliverLoaded(body) } while load(keepingTurn: false)
    return true
  }

  /// Delivers the items that wait now.
  ///
  /// The caller holds a turn that it received from ``addTakingTurn(_:)``.
  ///
  /// - Parameters:
  ///   - body: A closure that is called with each item. No lock is held, and it may add items.
  ///   - afterwards: A closure that is called once after the items, still with the turn.
  /// - Returns: `true` if more items wait and the caller still has the turn.
  @inlinable @inline(__always)
  package func deliverBatch(_ body: (Item) -> Void, afterwards: () -> Void = {}) -> Bool {
    var items: [Item] = []
    swap(&items, &batch)
    lock.lock()
    swap(&items, &queue)
    lock.unlock()
    // Not directly from the property, which would count references to the buffer for each item.
    for item in items { body(item) }
    items.removeAllAndReuse()
    batch = items
    afterwards()
    lock.lock()
    let isTaken = !queue.isEmpty
    self.isTaken = isTaken
    lock.unlock()
    return isTaken
  }

  /// Delivers the rest of the batch and everything that waits.
  ///
  /// It is called from the `body` of a ``deliver(_:)`` further up the stack, which keeps the turn.
  @inlinable
  package func deliverRest(_ body: (Item) -> Void) {
    repeat { deliverLoaded(body) } while load(keepingTurn: true)
  }

  /// Releases the items that wait and are not in a batch yet.
  @usableFromInline
  package func removeAll() {
    var removed: [Item] = []
    lock.withLock { swap(&queue, &removed) }
  }

  /// A Boolean value that indicates whether items are waiting that are not in a batch yet.
  @usableFromInline
  package var hasWaiting: Bool { lock.withLock { !queue.isEmpty } }

  /// A Boolean value that indicates whether the batch has undelivered items.
  ///
  /// The caller holds the turn.
  var hasLoaded: Bool { next < batch.count }

  // MARK: The batch, for the holder of the turn

  /// Delivers the rest of the batch; `body` may do so itself.
  @inlinable @inline(__always)
  func deliverLoaded(_ body: (Item) -> Void) {
    while next < batch.count {
      let item = batch[next]
      next &+= 1
      body(item)
    }
  }

  /// Replaces the delivered batch with the waiting items.
  ///
  /// - Parameter keepingTurn: A Boolean value that determines whether the turn stays taken if there are none.
  /// - Returns: `true` if there are items.
  @inlinable
  func load(keepingTurn: Bool) -> Bool {
    unload()
    lock.lock()
    defer { lock.unlock() }
    guard !queue.isEmpty else {
      isTaken = keepingTurn
      return false
    }
    swap(&queue, &batch)
    return true
  }

  /// Releases the delivered items and keeps their buffer for reuse.
  @inlinable
  func unload() {
    var used: [Item] = []
    swap(&used, &batch)
    next = 0
    // Not in the property: the `deinit` of a released item may call this object.
    used.removeAllAndReuse()
    batch = used
  }
}

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
