public import Synchronization

/// The engine of a property: the value and its subscribers.
///
/// One lock guards both storing a value and queueing its delivery. The order of stores is therefore the order of
/// deliveries, and each new subscriber receives the current value exactly once.
@usableFromInline
class PropertyCore<Value: Sendable>: EmitterCore<Value, Never>, @unchecked Sendable {
  // Sound: the lock guards its fields.

  /// The number of changes so far.
  @exclusivity(unchecked) @usableFromInline final var version: UInt64 = 0

  /// A copy of the stored value that is read without the lock; not maintained for a derived value.
  @usableFromInline final let mirror = ValueMirror<Value>()

  /// The property's registration with Swift Observation, retained, after the first read; set once.
  final let tracker = Atomic<Unmanaged<ObservationTracker>?>(nil)

  /// The number of threads that are inside a batch, for any property.
  @usableFromInline final let activeBatches = BatchFrame.active

  /// The value that was stored last; for a derived value, the value that was published last, if any.
  ///
  /// It is the last field, so that the offsets of the others do not depend on its type. It is empty while ``isLent``.
  @exclusivity(unchecked) @usableFromInline final var stored: Value?

  /// Creates the core of a property, or of a derived value, which starts without a value.
  @usableFromInline
  init(_ value: Value?) {
    stored = value
    if let value { mirror.store(value) }
    super.init()
  }

  deinit {
    tracker.load(ordering: .acquiring)?.release()
  }

  /// The value of a property that is not derived.
  @inlinable @inline(__always)
  final var value: Value {
    if ValueMirror<Value>.isPossible { return mirror.load() }
    lockValue()
    defer { lock.unlock() }
    return stored.unsafelyUnwrapped  // Sound: only a derived value starts without one.
  }

  /// Returns the value as an input of a derived value.
  @inlinable @inline(__always)
  final func sample(_ look: inout Look) -> Value {
    if isDerived {
      // Sound: checked just before.
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

  /// Stores a value, sends it, and releases the lock that the caller holds.
  @inlinable @inline(__always)
  final func store(_ value: Value) {
    let old = stored
    stored = value
    version &+= 1
    if placeReference == nil || noteQuietWrite(), activeBatches.pointee.load(ordering: .relaxed) == 0 {
      mirror.store(value)
      send(stored: value)
    } else {
      sendThroughGraph(value)
    }
    // Released only now, because the `deinit` of a value may run code.
    withExtendedLifetime(old) {}
  }

  /// Sends a value that was just stored and updates the derived values that depend on it.
  ///
  /// Inside a batch, leaves both to the batch. Releases the lock that the caller holds.
  @inlinable @inline(never)
  final func sendThroughGraph(_ value: Value) {
    if BatchFrame.hold(self) {
      mirror.store(value)
      return lock.unlock()
    }
    let list = markDependents()
    // Only now: a thread that reads the new value, without the lock, must not find derived values that are out of date.
    mirror.store(value)
    let tracker = placeReference?._withUnsafeGuaranteedRef { $0.tracker }
    send(stored: value)
    flush(list)
    tracker?.notify()
  }

  /// Sends a value that was just stored, and releases the lock that the caller holds.
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

  final override func send(held hold: Hold) {
    lockValue()
    let tracker = place?.tracker
    defer { tracker?.notify() }
    if let place {
      place.remove(hold)
      dropEmptyPlace()
    }
    guard version == hold.version, interest.load(ordering: .relaxed) != 0 else { return lock.unlock() }
    let value = stored.unsafelyUnwrapped  // Sound: only a derived value starts without one.
    send(stored: value, exceptTo: hold.newcomers.filter { $0.version == version }.map(\.node))
  }

  /// Sends a value to all subscribers except those that received it when they joined, and releases the lock that the
  /// caller holds.
  final func send(stored value: Value, exceptTo knowing: [ObjectIdentifier]) {
    if knowing.isEmpty { return send(stored: value) }
    enqueueAndUnlock(.task { [self] in deliver(value) { !knowing.contains($0) } })
  }

  /// Adds a subscriber that receives every value from now on and, before this method returns, the current one if it is
  /// wanted.
  @inlinable @inline(__always)
  final func subscribe(
    _ subscriber: some SignalSubscriber<Value, Never>, wantsCurrent: Bool
  ) -> SignalSubscription {
    let node = SubscriberNode(ErasedSubscriber.body(of: subscriber))
    let token = SignalSubscription(owner: self, node: node)
    if wantsCurrent { join(node) } else { joinChanges(node) }
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

  /// Makes the open batches skip this subscriber when they send a value that it already knows.
  ///
  /// The caller holds the lock.
  ///
  /// - Returns: The value that the subscriber knows: the current one.
  private final func meet(_ node: SubscriberNode) -> Value {
    if let place { for hold in place.holds { hold.newcomers.append((ObjectIdentifier(node), version)) } }
    // Sound: checked just before; a derived value is published before anyone joins.
    if isDerived { return unsafeDowncast(self, to: DerivedCore<Value>.self).meetDerived(node) }
    return stored.unsafelyUnwrapped
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
    // Another thread is delivering. Values wait in the node until the subscriber has received the current one.
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

  /// Delivers the values that were sent while the subscriber was joining, and then makes it live.
  private final func catchUp(_ node: SubscriberNode) {
    while true {
      let backlog = lock.withLock {
        let backlog = exchange(&node.backlog, with: [])
        if backlog.isEmpty, !node.isDead { node.status.store(SubscriberNode.Status.live, ordering: .releasing) }
        return backlog
      }
      if backlog.isEmpty { return }
      for deliver in backlog where !node.isDead { deliver(node) }
    }
  }

  final override func noteRead() { noteAccess() }

  // MARK: Completion

  final override func endAfterBatch() {
    let isDue = lock.withLock {
      guard let place, place.isEnding, place.holds.isEmpty else { return false }
      place.isEnding = false
      dropEmptyPlace()
      return true
    }
    if isDue { close() }
  }

  /// Ends the property and the derived values that cannot change without it.
  ///
  /// If open batches have written the property, it ends after they have sent its value.
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
