public import Synchronization

/// The engine of a property: a value, and the changes of it.
///
/// The value is stored and its delivery queued under one lock, so the order in which values are stored is the order in
/// which they are delivered, and whoever joins gets the current one exactly once.
@usableFromInline
class PropertyCore<Value: Sendable>: EmitterCore<Value, Never>, @unchecked Sendable {
  // Sound: its fields are guarded by the lock.

  /// The value that was stored last; in a derived value, the one that was published last, if any.
  @exclusivity(unchecked) @usableFromInline final var stored: Value?

  /// Counts the changes of the value.
  @exclusivity(unchecked) @usableFromInline final var version: UInt64 = 0

  /// The stored value, for readers in a hurry; not kept up in a derived value.
  @usableFromInline final let mirror = ValueMirror<Value>()

  /// How many threads are running `modify` for a second time; while there are any, each write leaves its thread's name.
  @exclusivity(unchecked) @usableFromInline final var contenders = 0
  @exclusivity(unchecked) @usableFromInline final var lastWriter: ThreadIdentity?

  /// Whether a thread is changing the value in place, so that there is none to read until it returns it.
  @exclusivity(unchecked) @usableFromInline final var isLent = false

  /// Held by the thread that is changing the value in place; made when a thread does so for the first time.
  @exclusivity(unchecked) @usableFromInline final var gate: Gate?

  /// How many threads are inside a batch, anywhere.
  @usableFromInline final let activeBatches = BatchFrame.active

  /// Makes the core of a property, or of a derived value, which has none to start with.
  @usableFromInline
  init(_ value: Value?) {
    stored = value
    if let value { mirror.store(value) }
    super.init()
  }

  /// The value in a property that is not derived.
  @inlinable @inline(__always)
  final var value: Value {
    if ValueMirror<Value>.isPossible { return mirror.load() }
    lockValue()
    defer { lock.unlock() }
    return stored.unsafelyUnwrapped  // Sound: only a derived value starts without one.
  }

  /// The value as an input of a derived value.
  @inlinable @inline(__always)
  final func sample(_ look: inout Look) -> Value {
    if node != nil {
      // Sound: only derived values have a node.
      return unsafeDowncast(self, to: DerivedCore<Value>.self).sampleDerived(&look)
    }
    lockValue()
    defer { lock.unlock() }
    look.versions &+= version
    if let placeReference, placeReference._withUnsafeGuaranteedRef({ $0.isHeld }) { look.isProvisional = true }
    return stored.unsafelyUnwrapped  // Sound: only a derived value starts without one.
  }

  /// Stores a value and sends it.
  @inlinable @inline(__always)
  final func set(_ value: Value) {
    lockValue()
    store(value)
  }

  /// Stores a value, sends it, and unlocks the lock that the caller holds.
  @inlinable @inline(__always)
  final func store(_ value: Value) {
    let old = stored
    stored = value
    version &+= 1
    if contenders > 0 { lastWriter = ThreadIdentity.current }
    if placeReference == nil, activeBatches.pointee.load(ordering: .relaxed) == 0 {
      mirror.store(value)
      send(stored: value)
    } else {
      sendThroughGraph(value)
    }
    // Released only now: a value may run code as it goes.
    withExtendedLifetime(old) {}
  }

  /// Sends a value that was just stored, and brings the derived values that depend on it up to date, or leaves both to
  /// the batch that this thread is in; unlocks the lock that the caller holds.
  @inlinable @inline(never)
  final func sendThroughGraph(_ value: Value) {
    if BatchFrame.hold(self) {
      mirror.store(value)
      return lock.unlock()
    }
    let list = markDependents()
    // Only now: whoever reads the value, without the lock, must not find what is derived from it to be of old.
    mirror.store(value)
    let tracker = placeReference?._withUnsafeGuaranteedRef { $0.tracker }
    send(stored: value)
    flush(list)
    tracker?.notify()
  }

  /// Sends a value that was just stored, and unlocks the lock that the caller holds.
  @inlinable @inline(__always)
  final func send(stored value: Value) {
    guard interest.load(ordering: .relaxed) != 0 else { return lock.unlock() }
    if takeTurn() {
      lock.unlock()
      deliver(value)
      if !releaseTurn() { drainNow() }
    } else {
      enqueueAndUnlock(.value(value))
    }
  }

  /// Sends the value that a batch, now over, held back, unless a newer one has been sent.
  final func send(held hold: Hold) {
    lockValue()
    let tracker = place?.tracker
    defer { tracker?.notify() }
    if let place {
      place.remove(hold)
      if place.isEmpty { self.place = nil }
    }
    guard version == hold.version, interest.load(ordering: .relaxed) != 0 else { return lock.unlock() }
    let value = stored.unsafelyUnwrapped  // Sound: only a derived value starts without one.
    send(stored: value, exceptTo: hold.newcomers.filter { $0.version == version }.map(\.node))
  }

  /// Sends a value to all but those who have been given it as they joined, and unlocks the lock that the caller holds.
  final func send(stored value: Value, exceptTo knowing: [ObjectIdentifier]) {
    if knowing.isEmpty { return send(stored: value) }
    enqueueAndUnlock(.task { [self] in deliver(value) { !knowing.contains($0) } })
  }

  /// Takes in a subscriber that is given every value from now on, but not the current one.
  @inlinable @inline(__always)
  final func subscribeToChanges<Subscriber: SignalSubscriber<Value, Never>>(_ subscriber: Subscriber)
    -> SignalSubscription
  {
    let node = SubscriberNode(ErasedSubscriber.body(of: subscriber))
    let token = SignalSubscription(owner: self, node: node)
    joinChanges(node)
    return token
  }

  @usableFromInline
  final func joinChanges(_ node: SubscriberNode) {
    lockValue()
    let current = meet(node)
    interest.wrappingAdd(1, ordering: .relaxed)
    if takeTurn() {
      lock.unlock()
      admit(node)
      if !releaseTurn() { drain() }
    } else {
      enqueueAndUnlock(.join(node))
    }
    withExtendedLifetime(current) {}
  }

  /// Has the batches that are not over leave a subscriber out when they send what it knows; to be called with the lock
  /// held.
  ///
  /// - Returns: What it knows: the current value.
  private final func meet(_ node: SubscriberNode) -> Value {
    if let place { for hold in place.holds { hold.newcomers.append((ObjectIdentifier(node), version)) } }
    // Sound: only derived values have a node, and such a one is published before anybody joins.
    if self.node != nil { return unsafeDowncast(self, to: DerivedCore<Value>.self).meetDerived(node) }
    return stored.unsafelyUnwrapped
  }

  /// Takes in a subscriber: it gets the current value before this returns, then every later one.
  @inlinable @inline(__always)
  final func subscribeWithCurrent<Subscriber: SignalSubscriber<Value, Never>>(_ subscriber: Subscriber)
    -> SignalSubscription
  {
    let node = SubscriberNode(ErasedSubscriber.body(of: subscriber))
    let token = SignalSubscription(owner: self, node: node)
    join(node)
    return token
  }

  @usableFromInline
  final func join(_ node: SubscriberNode) {
    lockValue()
    let current = meet(node)
    interest.wrappingAdd(1, ordering: .relaxed)
    if takeTurn() {
      lock.unlock()
      give(current, to: node)
      if hasEnded { complete(node) } else { append(node) }
      if !releaseTurn() { drain() }
      return
    }
    // Somebody is delivering: what comes from now on waits in the node until it has had the current value.
    node.status.store(SubscriberNode.Status.joining, ordering: .relaxed)
    queue.append(.append(node))
    let isOurs = demandTurn()
    lock.unlock()
    give(current, to: node)
    catchUp(node)
    if isOurs { drain() }
  }

  private final func give(_ value: Value, to node: SubscriberNode) {
    withUnsafePointer(to: value) { node.body(UnsafeRawPointer($0), nil) }
  }

  /// Gives a subscriber what came while it was joining, and makes it a live one.
  private final func catchUp(_ node: SubscriberNode) {
    while true {
      let backlog = lock.withLock {
        let backlog = node.backlog
        node.backlog = []
        if backlog.isEmpty, !node.isDead { node.status.store(SubscriberNode.Status.live, ordering: .releasing) }
        return backlog
      }
      if backlog.isEmpty { return }
      for deliver in backlog where !node.isDead { deliver(node) }
    }
  }

  // MARK: The end

  /// Ends a property that was let go of during a batch, unless another batch is still to send a value of it.
  final func endAfterBatch() {
    let isDue = lock.withLock {
      guard let place, place.isEnding, place.holds.isEmpty else { return false }
      place.isEnding = false
      if place.isEmpty { self.place = nil }
      return true
    }
    if isDue { close() }
  }

  /// Ends the property, and the derived values that can change no more without it, now or when the batches are over
  /// that have written it and are still to send what they wrote.
  final func close() {
    let isHeld = lock.withLock {
      guard let place, !place.holds.isEmpty else { return false }
      place.isEnding = true
      return true
    }
    if isHeld { return }
    let ended = Topology.close(self)
    end(.finished)
    Topology.end(ended)
  }
}
