public import Synchronization

/// The part of a source that does not depend on what it sends: whose turn it is, and who listens.
///
/// **The turn.** One thread at a time has the turn. It alone walks and edits the list of subscribers, so no lock is
/// held while they run and nothing is copied. A thread that finds the turn taken (by another thread, or by itself
/// further up the stack) leaves its work in the queue and goes on; the holder does that work before it gives the turn
/// up. This makes the order total, calls never overlap, and re-entrant sends cost no stack.
@usableFromInline
package class SourceCore: SubscriptionOwner, @unchecked Sendable {
  // Sound: the list belongs to the holder of the turn; the rest is atomic or guarded by the lock.

  @usableFromInline
  enum Turn: Sendable {
    @usableFromInline static let free: UInt8 = 0
    @usableFromInline static let taken: UInt8 = 1
    /// Taken, and work waits for the holder.
    @usableFromInline static let demanded: UInt8 = 2
  }

  @usableFromInline final let turn = Atomic<UInt8>(Turn.free)

  /// How many subscribers there are or are about to be, plus ``recording`` if values are recorded: zero means sending
  /// does nothing.
  ///
  /// It goes down only with the lock held, when a token and its subscriber are separated.
  @usableFromInline final let interest = Atomic<Int>(0)

  /// The interest in values that are to be recorded; more than that of any number of subscribers, to tell them apart.
  static var recording: Int { 1 << (Int.bitWidth - 2) }

  /// Guards the queue of waiting work and the links between tokens and nodes; never held while user code runs.
  @usableFromInline final let lock = Lock()

  /// The subscribers in order of subscription, each retained; a cancelled one leaves a hole until the list is
  /// compacted.
  @exclusivity(unchecked) @usableFromInline final var slots: UnsafeMutablePointer<Unmanaged<SubscriberNode>?>
  @exclusivity(unchecked) @usableFromInline final var slotCount = 0
  @exclusivity(unchecked) final var capacity = 0
  @exclusivity(unchecked) final var holes = 0

  /// Whether the end has been sent; belongs to the turn.
  @exclusivity(unchecked) @usableFromInline final var hasEnded = false

  /// Subscribers that were cancelled while the turn was taken, for its holder to take off the list.
  @exclusivity(unchecked) final var abandoned: [SubscriberNode] = []
  @usableFromInline final let hasAbandoned = Atomic<Bool>(false)

  /// Where the list is while there is none, aligned as the compiler may take for granted.
  static var noSlots: UnsafeMutablePointer<Unmanaged<SubscriberNode>?> {
    // Sound: no alignment is zero, and nobody looks there, because the count is.
    UnsafeMutablePointer(bitPattern: MemoryLayout<Unmanaged<SubscriberNode>?>.alignment).unsafelyUnwrapped
  }

  // MARK: The link to derived values

  /// The place in the graph of derived values, while there is anything in it, to be looked at without reference
  /// counting; guarded by the lock.
  @exclusivity(unchecked) @usableFromInline final var placeReference: Unmanaged<GraphPlace>?

  /// What Swift Observation knows of a property, once it has been read.
  final let tracker = Atomic<Unmanaged<ObservationTracker>?>(nil)

  /// Whether the value changes no more; guarded by the lock.
  @exclusivity(unchecked) final var isClosed = false

  /// What makes this the core of a derived value; set once, as it is made.
  @exclusivity(unchecked) @usableFromInline final var node: DerivedNode?

  @usableFromInline
  override init() {
    slots = SourceCore.noSlots
  }

  deinit {
    for index in 0..<slotCount { slots[index]?.release() }
    if capacity > 0 { slots.deallocate() }
    placeReference?.release()
    tracker.load(ordering: .acquiring)?.release()
  }

  // MARK: The turn

  /// Takes the turn if nobody has it.
  @inlinable @inline(__always)
  final func takeTurn() -> Bool {
    turn.compareExchange(
      expected: Turn.free, desired: Turn.taken, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Gives the turn up, unless work waits.
  @inlinable @inline(__always)
  final func releaseTurn() -> Bool {
    turn.compareExchange(
      expected: Turn.taken, desired: Turn.free, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
  }

  /// Makes sure that somebody does the work just queued; to be called with the lock held.
  ///
  /// - Returns: Whether that somebody is the caller, who then has the turn.
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

  /// Does all waiting work and gives the turn up; the caller has the turn.
  @usableFromInline
  package func drain() {}

  /// Finishes the signal, unless it has ended.
  func finish() {}

  // MARK: Tokens

  /// Ends the link between a node and its token; to be called with the lock held.
  ///
  /// - Returns: Whether there still was one, which is to say that the subscription had not been cancelled.
  final func unlink(_ node: SubscriberNode) -> Bool {
    node.index = -1
    guard let token = node.token else { return false }
    token._withUnsafeGuaranteedRef { $0.node = nil }
    node.token = nil
    return true
  }

  /// Lets go of a subscriber that never came onto the list, because the source had ended.
  @usableFromInline
  final func dismiss(_ node: SubscriberNode) {
    lock.withLock {
      if unlink(node) { interest.wrappingSubtract(1, ordering: .relaxed) }
    }
  }

  package final override func cancel(_ subscription: SignalSubscription) {
    lock.lock()
    // The token is about to release this object.
    if let derived = self.node { derived.keepForFlush(self) }
    guard let reference = subscription.node else { return lock.unlock() }
    interest.wrappingSubtract(1, ordering: .relaxed)
    let node = reference.takeUnretainedValue()
    subscription.node = nil
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
