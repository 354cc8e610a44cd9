import Synchronization

/// A derived value's place in the graph: what it is computed from, what is computed from it, and whether it is up to
/// date.
///
/// **Marks.** While a source's new value is being stored, and before anybody can read it, every node that depends on
/// it, near or far, has its marks counted up. A node reads its inputs, and trusts what it read only if it was not
/// marked meanwhile: then for every write it has seen either all effects or none. A node that is out of date already
/// has told its dependents so, and is not asked to tell them again: marking costs each node once, however many paths
/// lead there.
///
/// **Pull.** A mark computes nothing. Values are computed when they are read, or, for nodes with subscribers, after the
/// write.
///
/// **Observation.** Only nodes that somebody observes are linked to what they depend on. One that nobody observes costs
/// its sources nothing and is not kept alive by them.
///
/// Locks are taken from sources to dependents, never the other way round, and never while user code runs.
@usableFromInline
final class DerivedNode: SubscriptionOwner, @unchecked Sendable {
  // Sound: its state is guarded by the core's lock, and what belongs to the topology by the lock of that.

  /// Computes the value anew if need be, and sends it if asked to.
  @usableFromInline typealias Update = @Sendable (_ core: SourceCore, _ isPublishing: Bool) -> Void

  /// From which height on a node is treated with loops instead of recursion, to spare the stack.
  static var tall: Int { 64 }

  @usableFromInline let state: UnsafeMutablePointer<NodeState>

  /// The threads that are computing the value now; guarded by the core's lock.
  @exclusivity(unchecked) @usableFromInline var computers: Computers

  /// What the value is computed from; kept alive by `body`.
  @usableFromInline let inputs: [Unmanaged<SourceCore>]

  /// How many derived values lie under this one at most.
  let height: Int

  private let body: Update

  /// In a tall node, what `body` really does, to be taken apart link by link.
  private let detachable: Detachable?

  /// The core that owns the node; set once, as it is made.
  @exclusivity(unchecked) private var owner: Unmanaged<SourceCore>?

  /// What tells Swift Observation of the value's changes, if it is not what the value is computed from; set once,
  /// before anybody reads the value.
  @exclusivity(unchecked) var announcer: SourceCore?

  // MARK: Belongs to the topology

  /// How many subscriptions, readers and observed dependents there are.
  @exclusivity(unchecked) var observers = 0

  /// The places in the inputs' lists of dependents.
  @exclusivity(unchecked) var places: [Int]

  /// How many inputs can still change.
  @exclusivity(unchecked) var liveInputs = 0

  @usableFromInline
  init(inputs: [SourceCore], origin: DerivedOrigin, body: @escaping Update) {
    computers = Computers(of: origin)
    self.inputs = inputs.map { .passUnretained($0) }
    height = 1 + (inputs.lazy.compactMap { $0.node?.height }.max() ?? 0)
    if height > Self.tall {
      let detachable = Detachable(body)
      self.detachable = detachable
      self.body = { core, isPublishing in detachable.body?(core, isPublishing) }
    } else {
      detachable = nil
      self.body = body
    }
    places = Array(repeating: -1, count: inputs.count)
    state = .allocate(capacity: 1)
    state.initialize(to: NodeState())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    if let detachable { Debris.clear(&detachable.body) }
  }

  /// Tells the node which core it belongs to.
  @usableFromInline
  func attach(to core: SourceCore) {
    owner = .passUnretained(core)
  }

  /// The core that owns the node.
  var core: Unmanaged<SourceCore> { owner.unsafelyUnwrapped }  // Sound: set by whoever made the node.

  // MARK: Marking

  /// Counts up the marks of this node and, if it was up to date, of those that depend on it.
  ///
  /// - Parameters:
  ///   - list: Takes the nodes that have subscribers.
  ///   - depth: How many nodes' locks this thread holds; beyond some, the rest is left for later.
  func mark(_ list: inout FlushList, depth: Int) {
    core._withUnsafeGuaranteedRef { core in
      core.lock.lock()
      if !computers.isEmpty { computers.checkDependency(of: list.thread) }
      let wasSettled = state.pointee.isSettled
      state.pointee.mark()
      if state.pointee.starving > 0 { list.mustYield = true }
      if core.interest.load(ordering: .relaxed) > 0,
        state.pointee.scheduledBy.load(ordering: .relaxed) != list.thread.address
      {
        state.pointee.scheduledBy.store(list.thread.address, ordering: .relaxed)
        list.append(self)
      }
      if wasSettled, let place = core.placeReference {
        if depth < Self.tall {
          place._withUnsafeGuaranteedRef { $0.mark(&list, depth: depth + 1) }
        } else {
          list.postpone(core)
        }
      }
      core.lock.unlock()
    }
  }

  // MARK: Updating

  /// Brings the value up to date, and tells the subscribers of a change if asked to; to be called without any lock.
  @usableFromInline
  func update(publishing isPublishing: Bool) {
    if height > Self.tall {
      // Once nobody observes the value any more, what lies under it is never settled again.
      guard core._withUnsafeGuaranteedRef({ core in core.lock.withLock { state.pointee.isLinked } }) else { return }
      settleInputs()
    }
    core._withUnsafeGuaranteedRef { body($0, isPublishing) }
  }

  /// Brings what lies under a tall node up to date from the bottom.
  private func settleInputs() {
    var path = [self]
    while let node = path.last {
      if let stale = node.staleInput {
        path.append(stale)
      } else {
        path.removeLast()
        if node !== self { node.core._withUnsafeGuaranteedRef { node.body($0, false) } }
      }
    }
  }

  /// An input that is observed and may be out of date.
  private var staleInput: DerivedNode? {
    for input in inputs {
      let stale = input._withUnsafeGuaranteedRef { core -> DerivedNode? in
        guard let node = core.node else { return nil }
        return core.lock.withLock { node.state.pointee.isLinked && !node.state.pointee.isSettled } ? node : nil
      }
      if let stale { return stale }
    }
    return nil
  }

  /// Asks those who write anything that this depends on to pause now and then, after many vain attempts to read the
  /// inputs together; or no longer.
  @usableFromInline
  func declareStarving(_ isStarving: Bool) {
    var seen: Set<ObjectIdentifier> = []
    var pending = [self]
    while let node = pending.popLast() {
      guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
      node.core._withUnsafeGuaranteedRef { core in
        core.lock.withLock { node.state.pointee.starving += isStarving ? 1 : -1 }
      }
      pending += node.inputs.compactMap { $0._withUnsafeGuaranteedRef { $0.node } }
    }
  }

  /// Stays alive for the flush list that relies on the tokens, if there is one; to be called with the lock held, by a
  /// token before it releases the core.
  func keepForFlush(_ core: SourceCore) {
    guard state.pointee.pin.load(ordering: .relaxed) == NodeState.Pin.pinned else { return }
    let reference = Unmanaged.passRetained(core)
    let attempt = state.pointee.pin.compareExchange(
      expected: NodeState.Pin.pinned, desired: NodeState.Pin.kept, successOrdering: .releasing,
      failureOrdering: .relaxed
    )
    if !attempt.exchanged { reference.release() }
  }

  // MARK: Observation

  /// Links the node to its sources, for as long as there is an observer.
  ///
  /// - Returns: Derived values that were found to have ended, and are to be told so.
  @usableFromInline
  func observe() -> [SourceCore] {
    Topology.observe(self)
  }

  /// Ends what ``observe()`` began.
  @usableFromInline
  func unobserve() {
    Topology.unobserve(self)
  }

  package override func cancel(_ subscription: SignalSubscription) {
    unobserve()
  }
}

/// What a tall node's closure does, in a place that can be emptied.
private final class Detachable: @unchecked Sendable {  // Sound: emptied only when nobody can call it any more.
  @exclusivity(unchecked) var body: DerivedNode.Update?

  init(_ body: @escaping DerivedNode.Update) {
    self.body = body
  }
}
