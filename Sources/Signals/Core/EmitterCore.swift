public import Synchronization

/// The engine of every source: sends values and the end to its subscribers, in one order, whoever sends.
@usableFromInline
package class EmitterCore<Element: Sendable, Failure: Error>: SourceCore, @unchecked Sendable {
  // Sound: the queue is guarded by the lock; the rest belongs to the holder of the turn.

  /// What waits for the holder of the turn.
  @usableFromInline
  enum Work: Sendable {
    case value(Element)
    case end(SignalCompletion<Failure>)
    case join(SubscriberNode)
    /// A joiner that needs no replay, because it is given the current value by its own thread.
    case append(SubscriberNode)
    case task(@Sendable () -> Void)
  }

  /// Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline final var queue: [Work] = []

  /// The emptied buffer of the last batch, used again for the next.
  @exclusivity(unchecked) @usableFromInline final var spare: [Work] = []

  @exclusivity(unchecked) @usableFromInline final var completion: SignalCompletion<Failure>?

  /// How many values a late subscriber is given.
  @usableFromInline final let replayLimit: Int
  @exclusivity(unchecked) @usableFromInline final var replayed: RingBuffer<Element>

  @usableFromInline
  package init(replay: Int = 0) {
    replayLimit = replay
    replayed = RingBuffer()
    super.init()
    if replay > 0 { interest.wrappingAdd(Self.recording, ordering: .relaxed) }
  }

  // MARK: Sending

  /// Sends a value to all subscribers, now or, if the turn is taken, as soon as its holder comes to it.
  @inlinable @inline(__always)
  package final func send(_ value: Element) {
    guard interest.load(ordering: .relaxed) != 0 else { return }
    if takeTurn() {
      deliver(value)
      if !releaseTurn() { drainNow() }
    } else {
      enqueue(.value(value))
    }
  }

  /// Ends the signal, unless it has ended.
  @usableFromInline
  package final func end(_ completion: SignalCompletion<Failure>) {
    if takeTurn() {
      finish(completion)
      if !releaseTurn() { drainNow() }
    } else {
      enqueue(.end(completion))
    }
  }

  override final func finish() {
    end(.finished)
  }

  /// Runs a closure with the turn: now, or when the turn's holder comes to it.
  ///
  /// - Parameter body: The closure. It is made only where it is used, so that nothing is allocated if the turn is free.
  @inlinable @inline(__always)
  package final func withTurn(_ body: @autoclosure () -> @Sendable () -> Void) {
    if takeTurn() {
      body()()
      if !releaseTurn() { drainNow() }
    } else {
      enqueue(.task(body()))
    }
  }

  /// Calls every live subscriber with the value; for the holder of the turn.
  @inlinable @inline(__always)
  final func deliver(_ value: Element) {
    if replayLimit > 0 { record(value) }
    withUnsafePointer(to: value) { pointer in
      let slots = slots
      var index = 0
      let count = slotCount
      while index < count {
        if let node = slots[index] {
          node._withUnsafeGuaranteedRef { node in
            // A subscriber that has just joined was called by its own thread until then: what it left must be visible
            // here.
            if node.status.load(ordering: .acquiring) == SubscriberNode.Status.live {
              node.body(UnsafeRawPointer(pointer), nil)
            } else {
              postpone(pointer.pointee, for: node)
            }
          }
        }
        index += 1
      }
    }
  }

  /// Calls some of the live subscribers; for the holder of the turn.
  final func deliver(_ value: Element, toThose isMeant: (ObjectIdentifier) -> Bool) {
    for index in 0..<slotCount {
      slots[index]?._withUnsafeGuaranteedRef { node in
        if isMeant(ObjectIdentifier(node)) { postpone(value, for: node) }
      }
    }
  }

  @inlinable @inline(never)
  final func record(_ value: Element) {
    guard !hasEnded else { return }
    if replayed.count == replayLimit { replayed.popFirst() }
    replayed.append(value)
  }

  /// Keeps a value for a subscriber that is still being given the one before; drops it if the subscriber is gone.
  @inlinable @inline(never)
  final func postpone(_ value: Element, for node: SubscriberNode) {
    postpone(for: node) { node in
      withUnsafePointer(to: value) { node.body(UnsafeRawPointer($0), nil) }
    }
  }

  @usableFromInline
  final func postpone(for node: SubscriberNode, _ delivery: @escaping @Sendable (SubscriberNode) -> Void) {
    let isReady = lock.withLock {
      switch node.status.load(ordering: .relaxed) {
      case SubscriberNode.Status.joining:
        node.backlog.append(delivery)
        return false
      case SubscriberNode.Status.live: return true
      default: return false
      }
    }
    if isReady { delivery(node) }
  }

  /// Tells every live subscriber of the end and lets go of them all; for the holder of the turn.
  @usableFromInline
  final func finish(_ completion: SignalCompletion<Failure>) {
    guard !hasEnded else { return }
    hasEnded = true
    self.completion = completion
    if replayLimit > 0 { interest.wrappingSubtract(Self.recording, ordering: .relaxed) }
    for index in 0..<slotCount {
      slots[index]?._withUnsafeGuaranteedRef { tell($0, of: completion) }
    }
    removeAll()
  }

  // MARK: Joining

  /// Takes in a subscriber: it gets what is replayed, then every later value.
  @inlinable @inline(__always)
  package final func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let node = SubscriberNode(ErasedSubscriber.body(of: subscriber))
    let token = SignalSubscription(owner: self, node: node)
    interest.wrappingAdd(1, ordering: .relaxed)
    if takeTurn() {
      admit(node)
      if !releaseTurn() { drainNow() }
    } else {
      enqueue(.join(node))
    }
    return token
  }

  /// Gives a subscriber what is replayed and, unless the signal has ended, puts it on the list; for the turn's holder.
  @inlinable @inline(__always)
  final func admit(_ node: SubscriberNode) {
    if replayLimit == 0, !hasEnded { append(node) } else { admitLate(node) }
  }

  @usableFromInline
  final func admitLate(_ node: SubscriberNode) {
    if replayLimit > 0 { replay(to: node) }
    if hasEnded { complete(node) } else { append(node) }
  }

  private final func replay(to node: SubscriberNode) {
    let subscriber = ErasedSubscriber<Element, Failure>(body: node.body)
    for value in replayed.elements where !node.isDead && !subscriber.isDone { subscriber.receive(value) }
  }

  /// Tells a subscriber that came after the end of it, and lets go of it.
  @usableFromInline
  final func complete(_ node: SubscriberNode) {
    if let completion { tell(node, of: completion) }
    dismiss(node)
  }

  /// Tells a subscriber of the end, after what it may still be given while it joins.
  private final func tell(_ node: SubscriberNode, of completion: SignalCompletion<Failure>) {
    postpone(for: node) { node in
      ErasedSubscriber<Element, Failure>.tell(.completion(completion), node.body)
    }
  }

  // MARK: The queue

  /// Leaves work for the holder of the turn.
  @inlinable @inline(never)
  final func enqueue(_ work: Work) {
    lock.lock()
    enqueueAndUnlock(work)
  }

  /// Leaves work for the holder of the turn, and unlocks the lock that the caller holds.
  @inlinable @inline(never)
  final func enqueueAndUnlock(_ work: Work) {
    queue.append(work)
    let isOurs = demandTurn()
    lock.unlock()
    if isOurs { drainNow() }
  }

  @usableFromInline
  package override func drain() {
    drainNow()
  }

  /// Does all waiting work, however much comes meanwhile, and gives the turn up.
  @inlinable @inline(never)
  final func drainNow() {
    repeat {
      lock.lock()
      var batch = queue
      queue = spare
      spare = []
      turn.store(Turn.taken, ordering: .releasing)
      lock.unlock()
      sweep()
      for work in batch {
        perform(work)
        sweep()
      }
      batch.removeAllAndReuse()
      spare = batch
    } while !releaseTurn()
  }

  @inlinable @inline(__always)
  final func perform(_ work: Work) {
    switch work {
    case .value(let value): deliver(value)
    case .end(let completion): finish(completion)
    case .join(let node): admit(node)
    case .append(let node): if hasEnded { complete(node) } else { append(node) }
    case .task(let body): body()
    }
  }
}
