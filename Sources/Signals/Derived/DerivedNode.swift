import Synchronization

/// A derived value's place in the graph: its inputs, its dependents, and whether it is up to date.
///
/// - **Marks:** A write to a source increments the marks of every direct and indirect dependent before the new value
///   becomes readable. A node trusts the inputs that it read only if its marks have not changed since. It therefore
///   sees either all effects of a write or none. A node that is already out of date has marked its dependents and does
///   not mark them again. Marking thus costs each node once, however many paths lead to it.
/// - **Pull:** A mark computes nothing. Values are computed when they are read or, for nodes with subscribers, after
///   the write.
/// - **Observation:** Only observed nodes are linked to their inputs. A node that is not observed costs its sources
///   nothing and is not kept alive by them.
/// - **Locks:** Locks are acquired from sources to dependents, never in the opposite order, and never while user code
///   runs.
@usableFromInline
final class DerivedNode: GraphPlace, @unchecked Sendable {
  // Sound: the core's lock guards its state, and the topology's lock guards the links.

  /// A function that computes the value if necessary, sends it on request, and stores it in a ``DerivedSample`` if
  /// there is a pointer to one.
  @usableFromInline typealias Update =
    @Sendable (_ core: SourceCore, _ isPublishing: Bool, _ sample: UnsafeMutableRawPointer?) -> Void

  /// The height from which a node is processed with loops instead of recursion, to limit stack use.
  static var tall: Int { 64 }

  @usableFromInline let state: UnsafeMutablePointer<NodeState>

  /// The threads that are computing the value.
  ///
  /// Guarded by the core's lock.
  @exclusivity(unchecked) @usableFromInline var computers: Computers

  /// The owner of the closure that ``body`` calls; `nil` after the value has ended for good.
  ///
  /// Guarded by the core's lock. It is released when the value is final and no thread is among the ``computers``, which
  /// alone use it, so that computing counts no references.
  @exclusivity(unchecked) private var transform: (any AnyObject & Sendable)?

  /// A Boolean value that indicates whether the value has ended and is up to date, so that it is never computed again.
  ///
  /// Guarded by the core's lock.
  @exclusivity(unchecked) @usableFromInline var isFinal = false

  /// The inputs of the value; kept alive by `body`.
  @usableFromInline let inputs: [Unmanaged<SourceCore>]

  /// The maximum number of derived values between this one and a source.
  let height: Int

  private let body: Update

  /// For a tall node, the storage of the actual `body`, which can be released link by link.
  private let detachable: Detachable?

  /// The core that owns the node; set once, during initialisation.
  @exclusivity(unchecked) private var owner: Unmanaged<SourceCore>?

  /// The source whose changes are announced to Swift Observation instead of the inputs' changes, if any.
  ///
  /// It is set once, before the value can be read.
  @exclusivity(unchecked) var announcer: SourceCore?

  /// The part of the inputs on which the value depends, or 0 if it depends on all of them.
  ///
  /// It is set once, before the value can be read.
  @exclusivity(unchecked) var part: UInt32 = 0

  // MARK: Guarded by the topology's lock

  /// The number of subscriptions, readers and observed dependents.
  @exclusivity(unchecked) var observers = 0

  /// The positions of this node in the inputs' lists of dependents.
  @exclusivity(unchecked) var places: [Int]

  /// The number of inputs that can still change.
  @exclusivity(unchecked) var liveInputs = 0

  @usableFromInline
  init(inputs: [SourceCore], origin: DerivedOrigin, transform: any AnyObject & Sendable, body: @escaping Update) {
    computers = Computers(of: origin)
    self.transform = transform
    self.inputs = inputs.map { .passUnretained($0) }
    height = 1 + (inputs.lazy.compactMap { $0.derivation?.height }.max() ?? 0)
    if height > Self.tall {
      let detachable = Detachable(body)
      self.detachable = detachable
      self.body = { core, isPublishing, sample in detachable.body?(core, isPublishing, sample) }
    } else {
      detachable = nil
      self.body = body
    }
    places = Array(repeating: -1, count: inputs.count)
    state = .allocate(capacity: 1)
    state.initialize(to: NodeState())
    super.init()
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    if let detachable { Debris.clear(&detachable.body, &transform) }
  }

  /// Sets the core that owns the node.
  @usableFromInline
  func attach(to core: SourceCore) {
    owner = .passUnretained(core)
  }

  /// The core that owns the node.
  var core: Unmanaged<SourceCore> { owner.unsafelyUnwrapped }  // Sound: set by the code that created the node.

  // MARK: Marking

  /// Increments the marks of this node and, if it was up to date, of its dependents.
  ///
  /// - Parameters:
  ///   - list: The list to which nodes with subscribers are added.
  ///   - depth: The number of node locks that this thread holds. Beyond a limit, the rest is postponed.
  @inline(__always)
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
      if wasSettled, hasDependents {
        if depth < Self.tall {
          markDependents(&list, depth: depth + 1)
        } else {
          list.postpone(core)
        }
      }
      core.lock.unlock()
    }
  }

  // MARK: Updating

  /// Brings the value up to date and, on request, sends a change to the subscribers.
  ///
  /// The caller holds no lock.
  ///
  /// - Parameters:
  ///   - isPublishing: A Boolean value that determines whether to send a change.
  ///   - sample: A pointer to an empty ``DerivedSample`` that receives the value, or `nil`.
  @usableFromInline
  func update(publishing isPublishing: Bool, into sample: UnsafeMutableRawPointer? = nil) {
    if height > Self.tall {
      // If the value is no longer observed, the nodes below it can never be settled.
      guard core._withUnsafeGuaranteedRef({ core in core.lock.withLock { state.pointee.isLinked } }) else { return }
      settleInputs()
    }
    core._withUnsafeGuaranteedRef { body($0, isPublishing, sample) }
  }

  /// Brings the inputs of a tall node up to date, starting with the lowest.
  private func settleInputs() {
    var path = [self]
    while let node = path.last {
      if let stale = node.staleInput {
        path.append(stale)
      } else {
        path.removeLast()
        if node !== self { node.core._withUnsafeGuaranteedRef { node.body($0, false, nil) } }
      }
    }
  }

  /// An input that is observed and may be out of date.
  private var staleInput: DerivedNode? {
    for input in inputs {
      let stale = input._withUnsafeGuaranteedRef { core -> DerivedNode? in
        guard let node = core.derivation else { return nil }
        return core.lock.withLock { node.state.pointee.isLinked && !node.state.pointee.isSettled } ? node : nil
      }
      if let stale { return stale }
    }
    return nil
  }

  /// Asks the writers of this value's sources to pause now and then, or withdraws the request.
  ///
  /// Used after many failed attempts to read the inputs consistently.
  @usableFromInline
  func declareStarving(_ isStarving: Bool) {
    var seen: Set<ObjectIdentifier> = []
    var pending = [self]
    while let node = pending.popLast() {
      guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
      node.core._withUnsafeGuaranteedRef { core in
        core.lock.withLock { node.state.pointee.starving += isStarving ? 1 : -1 }
      }
      pending += node.inputs.compactMap { $0._withUnsafeGuaranteedRef { $0.derivation } }
    }
  }

  /// Retains the core for a flush list that relies on the tokens, if there is one.
  ///
  /// A token calls this before it releases the core; the caller holds the lock.
  func keepForFlush(_ core: SourceCore) {
    guard state.pointee.pin.load(ordering: .relaxed) == NodeState.Pin.pinned else { return }
    let reference = Unmanaged.passRetained(core)
    let attempt = state.pointee.pin.compareExchange(
      expected: NodeState.Pin.pinned, desired: NodeState.Pin.kept, successOrdering: .releasing,
      failureOrdering: .relaxed
    )
    if !attempt.exchanged { reference.release() }
  }

  // MARK: The end

  /// Releases the closure of a value that has ended, unless the value may be out of date.
  ///
  /// The caller holds no lock.
  func end() {
    let transform = core._withUnsafeGuaranteedRef { core in
      core.lock.withLock {
        noteFinal(core)
        return takeTransform()
      }
    }
    withExtendedLifetime(transform) {}
  }

  /// Records that the value is final if it has ended and is up to date, before it can be marked for another reason.
  ///
  /// The caller holds the core's lock. A closed source has marked its last write, so the value is never out of date
  /// again.
  func noteFinal(_ core: SourceCore) {
    if core.isClosed, state.pointee.isSettled { isFinal = true }
  }

  /// Moves the closure's owner out if it is not needed any more, so that it can be released.
  ///
  /// The caller holds the core's lock.
  @usableFromInline
  func takeTransform() -> (any AnyObject & Sendable)? {
    guard isFinal, computers.isEmpty else { return nil }
    return transform.take()
  }

  // MARK: Observation

  /// Links the node to its sources as long as it is observed.
  ///
  /// - Returns: The derived values that turned out to have ended and still have to be completed.
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

/// The closure of a tall node, in storage that can be emptied.
private final class Detachable: @unchecked Sendable {  // Sound: emptied only when no one can call it any more.
  @exclusivity(unchecked) var body: DerivedNode.Update?

  init(_ body: @escaping DerivedNode.Update) {
    self.body = body
  }
}
