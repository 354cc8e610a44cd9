public import Synchronization

/// The engine of every source, which sends values and the completion to its subscribers in one order, from any thread.
@usableFromInline
package class EmitterCore<Element: Sendable, Failure: Error>: SourceCore, @unchecked Sendable {
  // Sound: the lock guards the queue; the rest belongs to the holder of the turn.

  /// Work that waits for the holder of the turn.
  @usableFromInline
  enum Work: Sendable {
    case value(Element)
    case end(SignalCompletion<Failure>)
    case join(SubscriberNode)
    /// A new subscriber that needs no replay, because its own thread delivers the current value to it.
    case append(SubscriberNode)
    case task(@Sendable () -> Void)
  }

  /// Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline final var queue: [Work] = []

  /// The emptied buffer of the last batch, which the next one reuses.
  @exclusivity(unchecked) @usableFromInline final var spare: [Work] = []

  /// The values that a late subscriber receives besides the completion, if there are any; belongs to the turn.
  ///
  /// It is retained, but unmanaged, so that recording a value counts no references.
  @exclusivity(unchecked) @usableFromInline final var history: Unmanaged<History<Element, Failure>>?

  @usableFromInline
  package init(replay: Int = 0) {
    history = replay > 0 ? .passRetained(History(limit: replay)) : nil
    super.init()
    if replay > 0 { interest.wrappingAdd(Self.recording, ordering: .relaxed) }
  }

  deinit {
    history?.release()
  }

  // MARK: Sending

  /// Sends a value to all subscribers, now or, if the turn is taken, as soon as its holder gets to it.
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

  /// Ends the signal, unless it has already ended.
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

  /// Runs a closure with the turn, now or as soon as the thread that holds the turn gets to it.
  ///
  /// - Parameter body: The closure. It is an autoclosure, so that nothing is allocated if the turn is free.
  @inlinable @inline(__always)
  package final func withTurn(_ body: @autoclosure () -> @Sendable () -> Void) {
    if takeTurn() {
      body()()
      if !releaseTurn() { drainNow() }
    } else {
      enqueue(.task(body()))
    }
  }

  /// Calls every live subscriber with the value.
  ///
  /// The caller holds the turn.
  @inlinable @inline(__always)
  final func deliver(_ value: Element) {
    // Sound: the core owns the history from its creation on.
    history?._withUnsafeGuaranteedRef { if !hasEnded { $0.record(value) } }
    withUnsafePointer(to: value) { pointer in
      let slots = slots
      var index = 0
      let count = Int(slotCount)
      while index < count {
        // Sound: the list owns a reference until the holder of the turn, which is this thread, removes the node. A node
        // that is cancelled meanwhile waits in `abandoned`.
        if let node = slots[index] {
          node._withUnsafeGuaranteedRef { node in
            // A subscriber that has just joined was called by its own thread so far; the effects must be visible here.
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

  /// Calls some of the live subscribers.
  ///
  /// The caller holds the turn.
  final func deliver(_ value: Element, toThose isMeant: (ObjectIdentifier) -> Bool) {
    for index in 0..<Int(slotCount) {
      slots[index]?._withUnsafeGuaranteedRef { node in
        if isMeant(ObjectIdentifier(node)) { postpone(value, for: node) }
      }
    }
  }

  /// Keeps a value for a subscriber that is still receiving an earlier one; drops it if the subscriber has been
  /// cancelled.
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

  /// Sends the completion to every live subscriber and releases them all.
  ///
  /// The caller holds the turn.
  @usableFromInline
  final func finish(_ completion: SignalCompletion<Failure>) {
    guard !hasEnded else { return }
    hasEnded = true
    if let history, history.takeUnretainedValue().limit > 0 {
      interest.wrappingSubtract(Self.recording, ordering: .relaxed)
    }
    if case .failure(let error) = completion {
      let history = history ?? .passRetained(History(limit: 0))
      history.takeUnretainedValue().failure = error
      self.history = history
    }
    for index in 0..<Int(slotCount) {
      slots[index]?._withUnsafeGuaranteedRef { tell($0, of: completion) }
    }
    removeAll()
  }

  // MARK: Joining

  /// Adds a subscriber, which receives the replayed values and then every later one.
  @inlinable @inline(__always)
  package final func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
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

  /// Sends the replayed values to a subscriber and, unless the signal has ended, adds it to the list.
  ///
  /// The caller holds the turn.
  @inlinable @inline(__always)
  final func admit(_ node: SubscriberNode) {
    if history == nil, !hasEnded { append(node) } else { admitLate(node) }
  }

  @usableFromInline
  final func admitLate(_ node: SubscriberNode) {
    history?.takeUnretainedValue().replay(to: node)
    if hasEnded { complete(node) } else { append(node) }
  }

  /// Sends the completion to a subscriber that joined after the end, and releases it.
  @usableFromInline
  final func complete(_ node: SubscriberNode) {
    tell(node, of: history?.takeUnretainedValue().failure.map { .failure($0) } ?? .finished)
    dismiss(node)
  }

  /// Sends the completion to a subscriber, after the values that it may still receive while it joins.
  private final func tell(_ node: SubscriberNode, of completion: SignalCompletion<Failure>) {
    postpone(for: node) { node in
      ErasedSubscriber<Element, Failure>.tell(.completion(completion), node.body)
    }
  }

  // MARK: The queue

  /// Queues work for the holder of the turn.
  @inlinable @inline(never)
  final func enqueue(_ work: Work) {
    lock.lock()
    enqueueAndUnlock(work)
  }

  /// Queues work for the holder of the turn, and releases the lock that the caller holds.
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

  /// Performs all waiting work, including any that is added during the call, and releases the turn.
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

/// The last values of a source and the error with which it ended, for subscribers that join later.
@usableFromInline
final class History<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sound: belongs to the holder of the source's turn.

  /// The number of values to replay.
  @usableFromInline let limit: Int
  @exclusivity(unchecked) @usableFromInline var values = RingBuffer<Element>()
  @exclusivity(unchecked) var failure: Failure?

  init(limit: Int) {
    self.limit = limit
  }

  @inlinable @inline(never)
  func record(_ value: Element) {
    if values.count == limit { values.popFirst() }
    values.append(value)
  }

  func replay(to node: SubscriberNode) {
    let subscriber = ErasedSubscriber<Element, Failure>(body: node.body)
    for value in values.elements where !node.isDead && !subscriber.isDone { subscriber.receive(value) }
  }
}
