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
  @exclusivity(unchecked) private final var capacity = 0
  @exclusivity(unchecked) private final var holes = 0

  /// Whether the end has been sent; belongs to the turn.
  @exclusivity(unchecked) @usableFromInline final var hasEnded = false

  /// Subscribers that were cancelled while the turn was taken, for its holder to take off the list.
  @exclusivity(unchecked) private final var abandoned: [SubscriberNode] = []
  @usableFromInline final let hasAbandoned = Atomic<Bool>(false)

  /// Where the list is while there is none, aligned as the compiler may take for granted.
  private static var noSlots: UnsafeMutablePointer<Unmanaged<SubscriberNode>?> {
    // Sound: no alignment is zero, and nobody looks there, because the count is.
    UnsafeMutablePointer(bitPattern: MemoryLayout<Unmanaged<SubscriberNode>?>.alignment).unsafelyUnwrapped
  }

  // MARK: For properties and derived values

  /// The place in the graph of derived values, while there is anything in it; guarded by the lock.
  @usableFromInline final var place: GraphPlace? {
    get { placeReference?.takeUnretainedValue() }
    set {
      let old = placeReference
      placeReference = newValue.map { .passRetained($0) }
      old?.release()
    }
  }

  /// The same, to be looked at without reference counting.
  @exclusivity(unchecked) @usableFromInline final var placeReference: Unmanaged<GraphPlace>?

  /// What Swift Observation knows of a property, once it has been read.
  final let tracker = Atomic<Unmanaged<ObservationTracker>?>(nil)

  /// Counts the changes of a property's value; guarded by the lock.
  @exclusivity(unchecked) @usableFromInline final var version: UInt64 = 0

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

  // MARK: For debugging

  /// Runs `body` with the turn: now, or when the turn's holder comes to it.
  func runWithTurn(_ body: @escaping @Sendable () -> Void) {}

  /// The subscriber behind a node.
  func inspect(_ node: SubscriberNode) -> Any? { nil }

  // MARK: For batches and derived values

  /// Sends a property's value that a batch, now over, held back, unless a newer one has been sent.
  func send(held hold: Hold) {}

  /// Ends a property that was let go of during a batch, unless another batch is still to send a value of it.
  func endAfterBatch() {}

  /// Brings a derived value up to date and tells its subscribers; to be called without any lock.
  func updateDerived() {}

  /// What changes in the node of a derived value.
  var nodeState: UnsafeMutablePointer<NodeState>? { nil }

  /// Stays alive for the flush list that relies on the tokens, if there is one; to be called with the lock held, by a
  /// token before it releases this object.
  private final func keepForFlush() {
    guard let state = nodeState, state.pointee.pin.load(ordering: .relaxed) == NodeState.Pin.pinned else { return }
    let reference = Unmanaged.passRetained(self)
    let attempt = state.pointee.pin.compareExchange(
      expected: NodeState.Pin.pinned, desired: NodeState.Pin.kept, successOrdering: .releasing,
      failureOrdering: .relaxed
    )
    if !attempt.exchanged { reference.release() }
  }

  /// Ends a derived value whose inputs have all ended.
  @usableFromInline
  func endDerived() {}

  /// Tells the derived values that depend on this one that it changes; to be called with the lock held.
  @usableFromInline
  final func markDependents() -> FlushList {
    var list = FlushList(spare: placeReference?._withUnsafeGuaranteedRef { $0.takeSpare() } ?? [])
    placeReference?._withUnsafeGuaranteedRef { $0.mark(&list) }
    list.markPostponed()
    return list
  }

  /// Brings the derived values that were marked up to date; to be called without any lock.
  @usableFromInline
  final func flush(_ list: consuming FlushList) {
    let spare = list.flush()
    guard spare.capacity > 0 else { return }
    lock.lock()
    placeReference?._withUnsafeGuaranteedRef { $0.giveSpare(spare) }
    lock.unlock()
  }

  // MARK: The list, for the holder of the turn

  /// Puts a subscriber at the end of the list, unless it has been cancelled meanwhile.
  @usableFromInline
  final func append(_ node: SubscriberNode) {
    if node.isDead { return }
    if slotCount == capacity { makeRoom() }
    node.index = slotCount
    (slots + slotCount).initialize(to: Unmanaged.passRetained(node))
    slotCount += 1
  }

  private final func makeRoom() {
    if holes > slotCount / 2 { return compact() }
    let roomier = UnsafeMutablePointer<Unmanaged<SubscriberNode>?>.allocate(capacity: max(4, capacity * 2))
    roomier.moveInitialize(from: slots, count: slotCount)
    if capacity > 0 { slots.deallocate() }
    slots = roomier
    capacity = max(4, capacity * 2)
  }

  /// Closes the holes; the order stays.
  private final func compact() {
    var next = 0
    for index in 0..<slotCount {
      guard let node = slots[index] else { continue }
      node._withUnsafeGuaranteedRef { $0.index = next }
      slots[next] = node
      next += 1
    }
    slotCount = next
    holes = 0
  }

  /// Takes a subscriber off the list, if it is there, and lets go of it.
  private final func remove(_ node: SubscriberNode) {
    let index = node.index
    guard index >= 0 else { return }
    node.index = -1
    let retained = slots[index]
    if index == slotCount - 1 {
      slotCount -= 1
      while slotCount > 0, slots[slotCount - 1] == nil {
        slotCount -= 1
        holes -= 1
      }
    } else {
      slots[index] = nil
      holes += 1
      if holes > 16, holes > slotCount / 2 { compact() }
    }
    retained?.release()
  }

  /// Takes the subscribers that were cancelled meanwhile off the list.
  @usableFromInline
  final func sweep() {
    guard hasAbandoned.load(ordering: .acquiring) else { return }
    let nodes = lock.withLock {
      let nodes = abandoned
      abandoned = []
      hasAbandoned.store(false, ordering: .relaxed)
      return nodes
    }
    for node in nodes { remove(node) }
  }

  /// Empties the list, after the source's end, so that tokens no longer hold what their subscribers captured.
  @usableFromInline
  final func removeAll() {
    let ended = UnsafeMutableBufferPointer(start: slots, count: slotCount)
    lock.withLock {
      var live = 0
      for node in ended { node?._withUnsafeGuaranteedRef { live += unlink($0) ? 1 : 0 } }
      interest.wrappingSubtract(live, ordering: .relaxed)
    }
    let list = slots
    let wasAllocated = capacity > 0
    slots = SourceCore.noSlots
    slotCount = 0
    capacity = 0
    holes = 0
    // Released last: what a subscriber captured may run code of its own as it goes.
    for node in ended { node?.release() }
    if wasAllocated { list.deallocate() }
  }

  // MARK: Tokens

  /// Ends the link between a node and its token; to be called with the lock held.
  ///
  /// - Returns: Whether there still was one, which is to say that the subscription had not been cancelled.
  private final func unlink(_ node: SubscriberNode) -> Bool {
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
    if self.node != nil { keepForFlush() }
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
