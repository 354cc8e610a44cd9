public import Synchronization

/// The part of a source that does not depend on the type of its values: the turn and the subscribers.
///
/// **The turn.** One thread at a time has the turn. Only that thread reads and changes the list of subscribers, so no
/// lock is held while they run, and nothing is copied. If another thread has the turn, or this thread has it further up
/// the stack, the caller queues its work and returns. The holder performs that work before it releases the turn. So the
/// order is total, calls never overlap, and re-entrant sends use no stack.
@usableFromInline
package class SourceCore: SubscriptionOwner, @unchecked Sendable {
  // Sound: the list belongs to the holder of the turn; the rest is atomic or guarded by the lock.

  @usableFromInline
  enum Turn: Sendable {
    @usableFromInline static let free: UInt8 = 0
    @usableFromInline static let taken: UInt8 = 1
    /// The turn is taken, and work is queued for the holder.
    @usableFromInline static let demanded: UInt8 = 2
  }

  // The fields are in the order in which they leave no gaps.

  @usableFromInline final let turn = Atomic<UInt8>(Turn.free)

  /// The lock that guards the queue of waiting work and the links between tokens and nodes.
  ///
  /// It is never held while user code runs.
  @usableFromInline final let lock = Lock()

  /// A Boolean value that indicates whether the completion has been sent; belongs to the turn.
  @exclusivity(unchecked) @usableFromInline final var hasEnded = false

  /// A Boolean value that indicates whether there are ``abandoned`` subscribers.
  @usableFromInline final let hasAbandoned = Atomic<Bool>(false)

  /// A Boolean value that indicates whether the value cannot change any more.
  ///
  /// Guarded by the lock.
  @exclusivity(unchecked) final var isClosed = false

  /// A Boolean value that indicates whether a thread is changing a property's value in place, so that it is absent.
  ///
  /// Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline final var isLent = false

  /// A Boolean value that indicates whether this is the core of a derived value; set once, during initialisation.
  @exclusivity(unchecked) @usableFromInline final var isDerived = false

  /// The number of subscribers, including any that are being attached, plus ``recording`` if values are recorded.
  ///
  /// If it is zero, sending does nothing.
  ///
  /// It is decreased only with the lock held, when a token and its subscriber are unlinked.
  @usableFromInline final let interest = Atomic<UInt32>(0)

  /// The interest in values that are recorded for replay.
  ///
  /// It exceeds any possible number of subscribers, so that the two can be distinguished.
  static var recording: UInt32 { 1 << 31 }

  /// The number of slots that are in use, including gaps.
  @exclusivity(unchecked) @usableFromInline final var slotCount: UInt32 = 0
  @exclusivity(unchecked) final var capacity: UInt32 = 0
  @exclusivity(unchecked) final var holes: UInt32 = 0

  /// The subscribers in order of subscription, each retained.
  ///
  /// A cancelled one leaves a gap until the list is compacted.
  @exclusivity(unchecked) @usableFromInline final var slots: UnsafeMutablePointer<Unmanaged<SubscriberNode>?>

  /// The subscribers that were cancelled while the turn was taken, for its holder to remove.
  @exclusivity(unchecked) final var abandoned: [SubscriberNode] = []

  /// The state that only some sources need, such as a place in the graph of derived values.
  ///
  /// It is retained, but unmanaged, so that reads need no reference counting. For a derived value, it is the value's
  /// ``DerivedNode`` from initialisation on; otherwise it is guarded by the lock.
  @exclusivity(unchecked) @usableFromInline final var placeReference: Unmanaged<GraphPlace>?

  /// The pointer to an empty list, with the alignment that the compiler may assume.
  static var noSlots: UnsafeMutablePointer<Unmanaged<SubscriberNode>?> {
    // Sound: no alignment is zero, and the pointer is never dereferenced, because the count is zero.
    UnsafeMutablePointer(bitPattern: MemoryLayout<Unmanaged<SubscriberNode>?>.alignment).unsafelyUnwrapped
  }

  @usableFromInline
  override init() {
    slots = SourceCore.noSlots
  }

  deinit {
    for index in 0..<Int(slotCount) { slots[index]?.release() }
    if capacity > 0 { slots.deallocate() }
    placeReference?.release()
  }

  // MARK: The turn

  /// Takes the turn if it is free.
  ///
  /// - Returns: `true` if the caller has the turn now.
  @inlinable @inline(__always)
  final func takeTurn() -> Bool {
    turn.compareExchange(
      expected: Turn.free, desired: Turn.taken, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Releases the turn, unless work is queued.
  ///
  /// - Returns: `false` if the caller must call ``drain()``.
  @inlinable @inline(__always)
  final func releaseTurn() -> Bool {
    turn.compareExchange(
      expected: Turn.taken, desired: Turn.free, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
  }

  /// Takes the turn to perform the work that was just queued, or leaves that work to the holder of the turn.
  ///
  /// The caller holds the lock.
  ///
  /// - Returns: `true` if the caller has the turn now, and must call ``drain()``.
  @usableFromInline
  final func demandTurn() -> Bool {
    while true {
      let taken = turn.compareExchange(
        expected: Turn.taken, desired: Turn.demanded, successOrdering: .acquiringAndReleasing,
        failureOrdering: .acquiring
      )
      if taken.exchanged || taken.original == Turn.demanded { return false }
      let free = turn.compareExchange(
        expected: Turn.free, desired: Turn.demanded, successOrdering: .acquiring, failureOrdering: .relaxed
      )
      if free.exchanged { return true }
    }
  }

  /// Performs all queued work, and releases the turn, which the caller holds.
  @usableFromInline
  package func drain() {}

  /// Finishes the signal, unless it has already ended.
  func finish() {}

  /// Records a read of a property, if this thread is tracking reads; see ``PropertyCore/noteAccess()``.
  func noteRead() {}

  /// Sends the value that a finished batch held back in a property, unless a newer one has been sent.
  func send(held hold: Hold) {}

  /// Ends a property that was released during a batch, unless another batch still has to send its value.
  func endAfterBatch() {}

  // MARK: Tokens

  /// Removes the link between a node and its token, and releases the token's reference to the node.
  ///
  /// The caller holds the lock and a reference to the node, so that the node is not freed here.
  ///
  /// - Returns: `true` if there was a link, which means that the subscription had not been cancelled.
  final func unlink(_ node: SubscriberNode) -> Bool {
    node.index = -1
    guard let token = node.token else { return false }
    // Sound: the token lives until it has cut the link, which its `deinit` does under the lock.
    token._withUnsafeGuaranteedRef { $0.node.take()?.release() }
    node.token = nil
    return true
  }

  /// Releases a subscriber that was never added to the list, because the source had ended.
  @usableFromInline
  final func dismiss(_ node: SubscriberNode) {
    lock.withLock {
      if unlink(node) { interest.wrappingSubtract(1, ordering: .relaxed) }
    }
  }

  package final override func cancel(_ subscription: SignalSubscription) {
    lock.lock()
    // The token is about to release this object.
    if let derivation { derivation.keepForFlush(self) }
    // Sound: the token's own reference moves into this call, so there is nothing to retain. The thread that has the turn
    // may release the queue's and the list's references as soon as it sees that the node is dead.
    guard let node = subscription.node.take()?.takeRetainedValue() else { return lock.unlock() }
    interest.wrappingSubtract(1, ordering: .relaxed)
    node.token = nil
    node.status.store(SubscriberNode.Status.dead, ordering: .relaxed)
    let backlog = node.backlog.isEmpty ? nil : node.backlog
    if backlog != nil { node.backlog = [] }
    if takeTurn() {
      lock.unlock()
      remove(node)
      if !releaseTurn() { drain() }
    } else {
      abandoned.append(node)
      hasAbandoned.store(true, ordering: .releasing)
      let isOurs = demandTurn()
      lock.unlock()
      if isOurs { drain() }
    }
    withExtendedLifetime(backlog) {}
  }
}
